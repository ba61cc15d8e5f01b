/** Turkish texts by their English ones. */
export const TURKISH = {
  Audit: 'Denetim kaydı',
  Day: 'Gün',
  'Logins, retries, cancellations, imports, exports, erasures and reloads of the last year.':
    'Son bir yılın oturum açma, yeniden deneme, iptal, içe aktarma, dışa aktarma, silme ve yeniden yükleme kayıtları.',
  'No entries match. Choose another person or day.': 'Eşleşen kayıt yok. Başka kişi ya da gün seçin.',
  Person: 'Kişi',
  // Actions and their details.
  'log-in': 'oturum açma',
  'log-out': 'çıkış',
  'log-in refused': 'oturum açma reddedildi',
  forget: 'silme',
  'import undone': 'içe aktarmanın geri alınması',
  'settings reloaded': 'ayarlar yeniden yüklendi',
  cutover: 'geçiş değişikliği',
  month: 'ay',
  usage: 'kullanım',
  files: 'dosyalar',
  by: 'ölçüt',
  what: 'ne',
  folder: 'klasör',
  cause: 'neden',
  signal: 'sinyal',
  command: 'komut',
  'file change': 'dosya değişikliği',
  wrong: 'yanlış',
  'too many attempts': 'çok fazla deneme',
};
