/** Turkish texts of the report of an import by their English ones. Names in braces stand for values. */
export const TURKISH_IMPORTS = {
  '{name}: not an import file.{hint}': '{name}: içe aktarılan bir dosya değil.{hint}',
  '{name}: not loaded, a format that is not read. Save it as .xlsx or .csv.':
    '{name}: yüklenmedi, okunmayan bir biçim. .xlsx ya da .csv olarak kaydedin.',
  '{name}: not loaded, a mark that a spreadsheet has the workbook open.':
    '{name}: yüklenmedi, kitabın bir tabloda açık olduğunu gösteren dosya.',
  '{name}: not loaded, a hidden sheet.': '{name}: yüklenmedi, gizli sayfa.',
  '{name}: not loaded, a chart or another sheet without cells.':
    '{name}: yüklenmedi, grafik ya da hücresiz başka bir sayfa.',
  '{name}: not loaded, not a table.': '{name}: yüklenmedi, tablo değil.',
  '{n} more not loaded': '{n} tane daha yüklenmedi',
  'Import files: {names}.': 'İçe aktarılan dosyalar: {names}.',
  '{value} {n}': '{value} {n}',
  '{first}, {rest}': '{first}, {rest}',
  '(empty)': '(boş)',
  '{lines} and {n} more': '{lines} ve {n} satır daha',
  'Students by ShowActive: {counts}': 'ShowActive değerine göre öğrenciler: {counts}',
  'Students by ShowActive: {counts} (GetStudentSchool returns one value per call)':
    'ShowActive değerine göre öğrenciler: {counts} (GetStudentSchool her çağrıda tek bir değer döndürür)',
  'Devices by platform: {counts}': 'Platforma göre cihazlar: {counts}',
  'Classes without students: {n} of {of}': 'Öğrencisi olmayan sınıflar: {n} (toplam {of})',
  'Students without devices: {n} of {of}': 'Cihazı olmayan öğrenciler: {n} (toplam {of})',
  '{file}: {n} of {rows} to delete (not in the files)':
    '{file}: {rows} arasından {n} tanesi silinecek (dosyalarda yok)',
  '{file}: {n} of {rows} deleted (not in the files)':
    '{file}: {rows} arasından {n} tanesi silindi (dosyalarda yok)',
  '{file}: {deleted} new deleted, {restored} changed back, {returned} brought back':
    '{file}: {deleted} yeni satır silindi, {restored} satır eski hâline döndü, {returned} satır geri geldi',
  '{file}: {deleted} new to delete, {restored} to change back, {returned} to bring back':
    '{file}: {deleted} yeni satır silinecek, {restored} satır eski hâline dönecek, {returned} satır geri gelecek',
  '{file} lacks {n} of {of} stored students. Is it complete?':
    '{file} dosyasında kayıtlı {of} öğrencinin {n} tanesi yok. Dosya tam mı?',
  '{n} of {of} classes have no students. Is students.csv complete?':
    '{of} sınıfın {n} tanesinin öğrencisi yok. students.csv tam mı?',
  'Devices that share their token with ten or more: {of} ({n} different tokens). Is the column right?':
    'Anahtarı on ya da daha çok cihazla ortak olan cihazlar: {of} ({n} ayrı anahtar). Sütun doğru mu?',
  'Names of students that are numbers: {n} of {of}. Is the column right?':
    'Adı sayı olan öğrenciler: {n} (toplam {of}). Sütun doğru mu?',
  '{file}: {n} values differ only in case, such as 9a and 9A. Are they different ones?':
    '{file}: {n} değer yalnız büyük/küçük harfte farklı, 9a ve 9A gibi. Bunlar ayrı mı?',
};
