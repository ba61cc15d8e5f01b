/** Turkish texts by their English ones. Names in braces stand for values. */
export const TURKISH = {
  'The old server is not responding': 'Eski sunucu yanıt vermiyor',
  'Requests that are forwarded to the old server (OLD_URL) fail with HTTP 502.':
    'Eski sunucuya (OLD_URL) yönlendirilen istekler HTTP 502 ile başarısız oluyor.',
  'Check that the old server runs and that OLD_URL is its address. CUTOVER_FILE lets this service answer instead.':
    'Eski sunucunun çalıştığını ve OLD_URL adresini denetleyin. CUTOVER_FILE ile bu hizmet yanıtlayabilir.',
  'Answered by': 'Yanıtlayan',
  'Answered here': 'Burada yanıtlanan',
  Bindings: 'Bağlantı türleri',
  Change: 'Değişiklik',
  'Change CUTOVER_FILE, then reload the service.':
    'CUTOVER_FILE dosyasını değiştirip hizmeti yeniden yükleyin.',
  'Check that it runs and that OLD_URL is its address.':
    'Çalıştığını ve OLD_URL ayarının doğru adres olduğunu denetleyin.',
  'Collecting comparisons.': 'Karşılaştırmalar toplanıyor.',
  Compared: 'Karşılaştırılan',
  Differences: 'Farklar',
  Different: 'Farklı',
  'Done.': 'Tamam.',
  Example: 'Örnek',
  'Explain or fix the differences below.': 'Aşağıdaki farkları açıklayın ya da giderin.',
  'First start as a reverse proxy': 'Ters vekil olarak ilk başlangıç',
  History: 'Geçmiş',
  'It failed here: find the reason on the Requests page.':
    'Burada başarısız oldu: nedenini İstekler sayfasında bulun.',
  'It sends messages, so it cannot be compared: set it to “new” last.':
    'Mesaj gönderdiği için karşılaştırılamaz: en son “new” yapın.',
  Migration: 'Geçiş',
  'Next step': 'Sonraki adım',
  'No changes yet.': 'Henüz değişiklik yok.',
  'No unintended differences.': 'Beklenmeyen fark yok.',
  'Personal data is masked.': 'Kişisel veriler gizlenmiştir.',
  'Ready: set it to “fallback”.': 'Hazır: “fallback” yapın.',
  'Ready: set it to “new”.': 'Hazır: “new” yapın.',
  'Remove OLD_URL, CUTOVER_FILE and RECORD_FILE before the next restart.':
    'OLD_URL, CUTOVER_FILE ve RECORD_FILE ayarlarını sonraki yeniden başlatmadan önce kaldırın.',
  'Requests of the last 7 days on all nodes; comparisons on this node. {guide} explains each step.':
    'Tüm düğümlerde son 7 günün istekleri; bu düğümdeki karşılaştırmalar. Adımlar: {guide}.',
  'Set it to “shadow” to compare the answers.': 'Yanıtları karşılaştırmak için “shadow” yapın.',
  'The migration guide': 'Geçiş kılavuzu',
  'The old server is not responding.': 'Eski sunucu yanıt vermiyor.',
  'This service answers everything.': 'Her şeyi bu hizmet yanıtlıyor.',
  'Comparisons still needed: {n}.': 'Gereken karşılaştırma: {n}.',
  'old server': 'eski sunucu',
  'old server, compared': 'eski sunucu, karşılaştırılıyor',
  'old server: {value}': 'eski sunucu: {value}',
  'this service': 'bu hizmet',
  'this service, else the old server': 'bu hizmet, olmazsa eski sunucu',
  'this service: {value}': 'bu hizmet: {value}',
  '{n} operation is ready for its next step.': '{n} işlem sonraki adıma hazır.',
  '{n} operations are ready for their next step.': '{n} işlem sonraki adıma hazır.',
  expires: 'süre sonu',
};

/** Turkish texts of warnings about its settings, by their English ones. */
export const TURKISH_FINDINGS = {
  '{name} has no effect without OLD_URL.': '{name}, OLD_URL olmadan etkisizdir.',
  'OLD_URL has the same host as BASE_URL. On this machine, that name must resolve to the old server.':
    'OLD_URL ile BASE_URL aynı sunucu adını taşıyor. Bu ad, bu makinede eski sunucunun adresine çözülmelidir.',
  'Requests are recorded in {path} (RECORD_FILE), including phone numbers, codes, names, passwords and keys. Unset it and delete the files when you are done.':
    'İstekler {path} içine kaydediliyor (RECORD_FILE): telefon numaraları, kodlar, adlar, parolalar ve anahtarlar dahil. İşiniz bitince ayarı kaldırıp dosyaları silin.',
};
