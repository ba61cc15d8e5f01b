/** Turkish texts by their English ones. Names in braces stand for values. */
export const TURKISH = {
  'All messages': 'Tüm mesajlar',
  'Class {name}': '{name} sınıfı',
  'Codes go to phone numbers, which do not belong to students here. Search for the number.':
    'Kodlar telefon numaralarına gider; numaralar burada öğrencilere bağlı değildir. Numarayı arayın.',
  Device: 'Cihaz',
  'No devices. The app registers one when the student logs in.':
    'Cihaz yok. Öğrenci oturum açınca uygulama cihazını kaydeder.',
  'Note {id}': '{id} bildirimi',
  Platform: 'Platform',
  'Registered devices': 'Kayıtlı cihazlar',
  'Requests in the last {n} days': 'Son {n} gündeki istekler',
  'School {name}': '{name} okulu',
  'Student {id}': '{id} öğrencisi',
  'Students of the class': 'Sınıftaki öğrenciler',
  Token: 'Anahtar',
  Type: 'Tür',
  invalid: 'geçersiz',
  missing: 'eksik',
  valid: 'geçerli',
  yes: 'var',
};
