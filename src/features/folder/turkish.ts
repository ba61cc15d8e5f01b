/** Turkish texts by their English ones. */
export const TURKISH = {
  'Import folder': 'İçe aktarma klasörü',
  'Last import': 'Son içe aktarma',
  'School data is not up to date': 'Okul verileri güncel değil',
  'The last import of IMPORT_FOLDER failed, or its files are more than a day old.':
    'IMPORT_FOLDER klasöründen son içe aktarma başarısız oldu ya da dosyalar bir günden eski.',
  'See the report under Schools and import-errors.csv in DATA_DIR, and replace the files.':
    'Okullar altındaki rapora ve DATA_DIR içindeki import-errors.csv dosyasına bakın, dosyaları yenileyin.',
};
