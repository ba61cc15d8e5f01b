/** Turkish texts by their English ones. Names in braces stand for values. */
export const TURKISH = {
  'Also delete rows of these schools that are not in the files':
    'Bu okulların dosyalarda olmayan satırlarını da sil',
  Cancel: 'İptal et',
  Changed: 'Değişen',
  'Check the files': 'Dosyaları denetle',
  Column: 'Sütun',
  'Dates with slashes': 'Eğik çizgili tarihler',
  'Delete more than a fifth of a table': 'Bir tablonun beşte birinden fazlasını sil',
  Encoding: 'Karakter kodlaması',
  File: 'Dosya',
  Files: 'Dosyalar',
  Import: 'İçe aktarma',
  'Import school data': 'Okul verilerini içe aktar',
  'Delete {rows}': 'Sil: {rows}',
  'Import {rows}': 'İçe aktar: {rows}',
  'Last imports from this page': 'Bu sayfadan yapılan son içe aktarmalar',
  'This looks wrong': 'Bu yanlış görünüyor',
  'I have checked this: it is right': 'Bunu denetledim: doğru',
  'Workbook to fill in': 'Doldurulacak çalışma kitabı',
  'Undo the import': 'İçe aktarmayı geri al',
  'Undo the last import ({time}) …': 'Son içe aktarmayı geri al ({time}) …',
  'Messages already sent stay sent.': 'Gönderilmiş mesajlar geri alınamaz.',
  '{who} is undoing the last import, since {time}.':
    '{who} son içe aktarmayı geri alıyor (başlangıç: {time}).',
  '{who} undid the last import: {time}.': '{who} son içe aktarmayı geri aldı: {time}.',
  Line: 'Satır',
  'Map of other names (JSON)': 'Sütun adlarının eşlemesi (JSON)',
  New: 'Yeni',
  'Nothing to import: the database already has all rows of these files.':
    'İçe aktarılacak bir şey yok: veritabanında bu dosyaların tüm satırları zaten var.',
  'None from this page yet.': 'Henüz bu sayfadan yapılmadı.',
  'Nothing to show.': 'Gösterilecek bir şey yok.',
  Refresh: 'Yenile',
  Rows: 'Satır sayısı',
  'Skip unknown columns': 'Bilinmeyen sütunları atla',
  '{errors} in {files}; correct them and upload again ({who}, {time}).':
    '{files} içinde {errors} var; düzeltip yeniden yükleyin ({who}, {time}).',
  'The import of {who} failed: {time}.': '{who} kullanıcısının içe aktarması başarısız oldu: {time}.',
  Unchanged: 'Değişmeyen',
  'Upload CSV files, or one Excel workbook with a sheet for each: at most {n} MB. They are checked first; nothing is written until you confirm.':
    'CSV dosyalarını ya da her biri için bir sayfası olan tek bir Excel çalışma kitabını yükleyin: en çok {n} MB. Önce denetlenirler; siz onaylamadan hiçbir şey yazılmaz.',
  '{n} more error': '{n} hata daha',
  '{n} more errors': '{n} hata daha',
  '{n} error': '{n} hata',
  '{n} errors': '{n} hata',
  '{n} file': '{n} dosya',
  '{n} files': '{n} dosya',
  'The files of {who} are being checked, since {time}.':
    '{who} kullanıcısının dosyaları denetleniyor (başlangıç: {time}).',
  '{who} imported these files: {time}.': '{who} bu dosyaları içe aktardı: {time}.',
  '{who} is importing, since {time}.': '{who} içe aktarıyor (başlangıç: {time}).',
  '{who} is uploading files, since {time}.': '{who} dosya yüklüyor (başlangıç: {time}).',
  '{who} uploaded these files, checked {time}. Nothing has been written yet.':
    'Dosyaları {who} yükledi; denetim zamanı: {time}. Henüz hiçbir şey yazılmadı.',
  // What the command reports.
  checked: 'denetlendi',
  blocked: 'bekletildi',
  reading: 'okunuyor',
  checking: 'denetleniyor',
  writing: 'yazılıyor',
  '(hidden)': '(gizli)',
  'Tick the box to confirm what looks wrong.': 'Yanlış görüneni onaylamak için kutuyu işaretleyin.',
  '{who} is importing. Wait until that has ended.': '{who} içe aktarıyor. Bitmesini bekleyin.',
  'This upload is no longer there. Upload the files again.':
    'Bu yükleme artık yok. Dosyaları yeniden yükleyin.',
  'Tick the box to delete more than a fifth of a table.':
    'Bir tablonun beşte birinden fazlasını silmek için kutuyu işaretleyin.',
  'Cannot store the upload ({error}).': 'Yükleme kaydedilemedi ({error}).',
  '{name}: not accepted. Upload .csv or .xlsx files, each once, with plain names.':
    '{name}: kabul edilmedi. Sade adlı .csv ya da .xlsx dosyalarını birer kez yükleyin.',
  'The upload is too large: at most {n} MB and 30 files. For more, use the import command.':
    'Yükleme çok büyük: en çok {n} MB ve 30 dosya. Daha fazlası için komutu kullanın.',
  'The upload was interrupted. Upload the files again.':
    'Yükleme yarıda kesildi. Dosyaları yeniden yükleyin.',
  'Choose the files to import.': 'İçe aktarılacak dosyaları seçin.',
  'The import ended unexpectedly. See the service’s log.':
    'İçe aktarma beklenmedik biçimde bitti. Hizmetin günlüğüne bakın.',
  'Files with errors are not imported, nor are files that refer to them.':
    'Hatalı dosyalar ve bunlara başvuran dosyalar içe aktarılmaz.',
};

/**
 * Turkish texts of errors in imported files by their English ones. Names in braces stand for what differs; of
 * two texts that fit, the first is used.
 */
export const TURKISH_ERRORS = {
  'There is no import to undo.': 'Geri alınacak içe aktarma yok.',
  'The last import can no longer be undone.': 'Son içe aktarma artık geri alınamaz.',
  'is empty': 'boş',
  'is not exactly one character': 'tam bir karakter değil',
  'is not a date (YYYY-MM-DD or D.M.YYYY)': 'tarih değil (YYYY-AA-GG ya da G.A.YYYY)',
  'is not a time of day (HH:MM)': 'saat değil (SS:DD)',
  'is not a time (YYYY-MM-DDTHH:MM:SSZ or D.M.YYYY HH:MM)':
    'zaman değil (YYYY-AA-GGTSS:DD:SSZ ya da G.A.YYYY SS:DD)',
  'is a date with slashes; set --date-order to dmy or mdy':
    'eğik çizgili tarih; --date-order için dmy ya da mdy seçin',
  'is not a known column; set --ignore-extra-columns to skip it':
    'bilinmeyen sütun; atlamak için --ignore-extra-columns seçin',
  'is a spreadsheet error value; correct the formula': 'elektronik tablo hatası; formülü düzeltin',
  'is a number in scientific notation, which has lost digits; format the column as text in the spreadsheet':
    'bilimsel gösterimli sayı, basamakları kaybolmuş; sütunu tabloda metin olarak biçimlendirin',
  'is a date or time, which a spreadsheet makes of texts such as 9-1; format the column as text in the spreadsheet':
    'tarih ya da saat, tablo bunu 9-1 gibi metinlerden yapar; sütunu tabloda metin olarak biçimlendirin',
  'is a hidden column; unhide it': 'gizli sütun; gösterin',
  'has a cell in a column without a heading': 'başlıksız bir sütunda hücre var',
  'is in the header twice': 'başlıkta iki kez var',
  'is not UTF-8; save the file as UTF-8, or set --encoding to {one}, {two} or {three}':
    'UTF-8 değil; dosyayı UTF-8 olarak kaydedin ya da --encoding için {one}, {two} veya {three} seçin',
  'is UTF-16 (“Unicode text”); save the file as CSV in UTF-8':
    'UTF-16 (“Unicode metni”); dosyayı UTF-8 CSV olarak kaydedin',
  'contains a character that is not allowed in XML': 'XML’de izin verilmeyen bir karakter içeriyor',
  'unknown school': 'okul tanınmıyor',
  'unknown class in this school': 'bu okulda sınıf tanınmıyor',
  'unknown student in this school': 'bu okulda öğrenci tanınmıyor',
  'unknown exam': 'sınav tanınmıyor',
  'unknown note type': 'bildirim türü tanınmıyor',
  'duplicate of line {n} by {collation}': '{n}. satırın tekrarı ({collation} karşılaştırmasıyla)',
  'duplicate of line {n}': '{n}. satırın tekrarı',
  'is longer than {n} characters': '{n} karakterden uzun',
  'is not a whole number from {least} to {most}': '{least} ile {most} arasında bir tam sayı değil',
  'is missing from the header (no delimiter found: comma, semicolon or tab)':
    'başlıkta yok (ayraç bulunamadı: virgül, noktalı virgül ya da sekme)',
  'is missing from the header (delimiter: comma)': 'başlıkta yok (ayraç: virgül)',
  'is missing from the header (delimiter: semicolon)': 'başlıkta yok (ayraç: noktalı virgül)',
  'is missing from the header (delimiter: tab)': 'başlıkta yok (ayraç: sekme)',
  'is missing from the header': 'başlıkta yok',
  'has {n} cells, the header {m} (no delimiter found: comma, semicolon or tab)':
    '{n} hücre var, başlıkta {m} (ayraç bulunamadı: virgül, noktalı virgül ya da sekme)',
  'has {n} cells, the header {m} (delimiter: comma)': '{n} hücre var, başlıkta {m} (ayraç: virgül)',
  'has {n} cells, the header {m} (delimiter: semicolon)':
    '{n} hücre var, başlıkta {m} (ayraç: noktalı virgül)',
  'has {n} cells, the header {m} (delimiter: tab)': '{n} hücre var, başlıkta {m} (ayraç: sekme)',
  'has {n} cells, the header {m}': '{n} hücre var, başlıkta {m}',
  'has {n} cell, the header {m} (no delimiter found: comma, semicolon or tab)':
    '{n} hücre var, başlıkta {m} (ayraç bulunamadı: virgül, noktalı virgül ya da sekme)',
  'has {n} cell, the header {m} (delimiter: comma)': '{n} hücre var, başlıkta {m} (ayraç: virgül)',
  'has {n} cell, the header {m} (delimiter: semicolon)':
    '{n} hücre var, başlıkta {m} (ayraç: noktalı virgül)',
  'has {n} cell, the header {m} (delimiter: tab)': '{n} hücre var, başlıkta {m} (ayraç: sekme)',
  'has {n} cell, the header {m}': '{n} hücre var, başlıkta {m}',
  'has a quote that is never closed': 'kapanmayan bir tırnak var',
  'has text after a closing quote; double the quotes inside a quoted cell':
    'kapanan tırnaktan sonra metin var; tırnaklı hücrenin içindeki tırnakları çift yazın',
  'has a quote inside an unquoted cell': 'tırnaksız bir hücrenin içinde tırnak var',
  'is longer than a million bytes; is a closing quote missing?':
    'bir milyon bayttan uzun; kapanan bir tırnak mı eksik?',
  'is not CSV': 'CSV değil',
};
