/** Turkish texts of the workbook to fill in by their English ones. */
export const TURKISH = {
  'Base URL of the school, as in the sheet schools': 'Okulun temel adresi, schools sayfasındaki gibi',
  'Base URL of the school': 'Okulun temel adresi',
  'Name of the school': 'Okulun adı',
  'Id of the class, unique in its school': 'Sınıfın kimliği, okulda tek',
  'Name of the class': 'Sınıfın adı',
  'Id of the student, unique in the school': 'Öğrencinin kimliği, okulda tek',
  'Full name': 'Adı ve soyadı',
  'One character: usually Y or N': 'Tek karakter: genellikle Y ya da N',
  'Class, or empty': 'Sınıf ya da boş',
  'Id of the device': 'Cihazın kimliği',
  'Id of the student': 'Öğrencinin kimliği',
  'Token of the app for push messages': 'Uygulamanın anlık bildirim belirteci',
  'Operating system': 'İşletim sistemi',
  'Time in UTC, or empty': 'UTC zamanı ya da boş',
  'Id of the exam': 'Sınavın kimliği',
  'Name of the exam': 'Sınavın adı',
  Exam: 'Sınav',
  Subject: 'Ders',
  'Date, such as 2026-12-03 or 3.12.2026': 'Tarih, 2026-12-03 ya da 3.12.2026 gibi',
  'Time of day, such as 09:00': 'Saat, 09:00 gibi',
  Minutes: 'Dakika',
  'Id of the type': 'Türün kimliği',
  'Name of the type': 'Türün adı',
  'Id of the note': 'Bildirimin kimliği',
  'Type, or empty': 'Tür ya da boş',
  'Title of the push message': 'Anlık bildirimin başlığı',
  'Text of the push message': 'Anlık bildirimin metni',
};

/** Turkish texts of errors in workbooks by their English ones. Names in braces stand for what differs. */
export const TURKISH_ERRORS = {
  'is a formula without a result; save the workbook again in the spreadsheet':
    'sonucu olmayan formül; çalışma kitabını tabloda yeniden kaydedin',
  'has decimals, which each computer shows with its own sign; format the column as text in the spreadsheet':
    'ondalıklı, işareti her bilgisayarda başka; sütunu tabloda metin olarak biçimlendirin',
  'is a truth value, which each computer shows in its own language; format the column as text in the spreadsheet':
    'mantıksal değer, her bilgisayarda kendi dilinde görünür; sütunu tabloda metin olarak biçimlendirin',
  'is not a date that can be shown': 'gösterilebilen bir tarih değil',
  'is merged over several columns; unmerge the cells': 'birkaç sütunda birleştirilmiş; hücreleri ayırın',
  'is merged with the header; unmerge the cells': 'başlıkla birleştirilmiş; hücreleri ayırın',
  'is a hidden row; clear the filter and unhide the row, or delete it':
    'gizli satır; süzgeci kaldırıp satırı gösterin ya da silin',
  'is not a valid .xlsx workbook; save it again in the spreadsheet, without a password':
    'sağlam bir .xlsx çalışma kitabı değil; tabloda parolasız olarak yeniden kaydedin',
  'has {n} sheets; name one of them {name} or keep only one':
    '{n} sayfası var; birine {name} adını verin ya da yalnızca birini bırakın',
  'has a row that is too long': 'çok uzun bir satır var',
  'has a cell that is too long': 'çok uzun bir hücre var',
  'has too many merged cells': 'çok fazla birleştirilmiş hücre var',
  'has too many parts': 'çok fazla parçası var',
  'has too many sheets': 'çok fazla sayfası var',
  'has too many different texts': 'çok fazla farklı metin var',
  'has too many number formats': 'çok fazla sayı biçimi var',
  'has too many cell formats': 'çok fazla hücre biçimi var',
  'is nested too deep': 'çok derin iç içe',
  'has the number format {name}; format the column as text':
    'sayı biçimi {name}; sütunu metin olarak biçimlendirin',
  'is too large: {name} has more than {n} MB': 'çok büyük: {name} {n} MB’den büyük',
};
