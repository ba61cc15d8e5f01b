/**
 * Turkish texts of errors in imported files by their English ones. Names in braces stand for what differs; of
 * two texts that fit, the first is used.
 */
export const TURKISH_IMPORT_ERRORS: Readonly<Record<string, string>> = {
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
  'is a formula without a result; save the workbook again in the spreadsheet':
    'sonucu olmayan formül; çalışma kitabını tabloda yeniden kaydedin',
  'is a date or time, which a spreadsheet makes of texts such as 9-1; format the column as text in the spreadsheet':
    'tarih ya da saat, tablo bunu 9-1 gibi metinlerden yapar; sütunu tabloda metin olarak biçimlendirin',
  'has decimals, which each computer shows with its own sign; format the column as text in the spreadsheet':
    'ondalıklı, işareti her bilgisayarda başka; sütunu tabloda metin olarak biçimlendirin',
  'is a truth value, which each computer shows in its own language; format the column as text in the spreadsheet':
    'mantıksal değer, her bilgisayarda kendi dilinde görünür; sütunu tabloda metin olarak biçimlendirin',
  'is not a date that can be shown': 'gösterilebilen bir tarih değil',
  'is merged over several columns; unmerge the cells': 'birkaç sütunda birleştirilmiş; hücreleri ayırın',
  'is merged with the header; unmerge the cells': 'başlıkla birleştirilmiş; hücreleri ayırın',
  'is a hidden row; clear the filter and unhide the row, or delete it':
    'gizli satır; süzgeci kaldırıp satırı gösterin ya da silin',
  'is a hidden column; unhide it': 'gizli sütun; gösterin',
  'has a cell in a column without a heading': 'başlıksız bir sütunda hücre var',
  'is in the header twice': 'başlıkta iki kez var',
  'is not a valid .xlsx workbook; save it again in the spreadsheet, without a password':
    'sağlam bir .xlsx çalışma kitabı değil; tabloda parolasız olarak yeniden kaydedin',
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
  'has the number format {name}; format the column as text':
    'sayı biçimi {name}; sütunu metin olarak biçimlendirin',
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
  'has {n} sheets; name one of them {name} or keep only one':
    '{n} sayfası var; birine {name} adını verin ya da yalnızca birini bırakın',
  'is too large: {name} has more than {n} MB': 'çok büyük: {name} {n} MB’den büyük',
  'has a quote that is never closed': 'kapanmayan bir tırnak var',
  'has text after a closing quote; double the quotes inside a quoted cell':
    'kapanan tırnaktan sonra metin var; tırnaklı hücrenin içindeki tırnakları çift yazın',
  'has a quote inside an unquoted cell': 'tırnaksız bir hücrenin içinde tırnak var',
  'is longer than a million bytes; is a closing quote missing?':
    'bir milyon bayttan uzun; kapanan bir tırnak mı eksik?',
  'is not CSV': 'CSV değil',
  'has a row that is too long': 'çok uzun bir satır var',
  'has a cell that is too long': 'çok uzun bir hücre var',
  'has too many merged cells': 'çok fazla birleştirilmiş hücre var',
  'has too many parts': 'çok fazla parçası var',
  'has too many sheets': 'çok fazla sayfası var',
  'has too many different texts': 'çok fazla farklı metin var',
  'has too many number formats': 'çok fazla sayı biçimi var',
  'has too many cell formats': 'çok fazla hücre biçimi var',
  'is nested too deep': 'çok derin iç içe',
};
