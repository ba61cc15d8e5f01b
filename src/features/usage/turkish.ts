/** Turkish texts by their English ones. Names in braces stand for values. */
export const TURKISH = {
  'By day': 'Güne göre',
  'Group by': 'Gruplama',
  'Messages accepted in this month (time zone {zone}), and the SMS they used.':
    'Bu ay kabul edilen mesajlar (saat dilimi {zone}) ve kullandıkları SMS sayısı.',
  'Messages by day': 'Güne göre mesajlar',
  Month: 'Ay',
  Months: 'Aylar',
  'Next month': 'Sonraki ay',
  'No messages in this month.': 'Bu ay mesaj yok.',
  'Previous month': 'Önceki ay',
  'Still counting. Reload the page in a moment.': 'Sayılıyor. Sayfayı birazdan yeniden yükleyin.',
  'This month': 'Bu ay',
  Usage: 'Kullanım',
  'Usage of {month}': '{month} kullanımı',
  'Usage of {month} by {group}': '{month} kullanımı ({group})',
  total: 'toplam',
  '(none)': '(yok)',
  '{n} messages, {sent} sent, {failed} failed or expired':
    '{n} mesaj: {sent} gönderildi, {failed} başarısız ya da süresi dolmuş',
  price: 'tutar',
  'The price excludes {n} SMS: DELIVERY_FILE has no smsPrices for {countries}.':
    'Fiyata {n} SMS dahil değil: DELIVERY_FILE dosyasında {countries} için smsPrices yok.',
  'unknown countries': 'bilinmeyen ülkeler',
  '{named}, unknown countries': '{named}, bilinmeyen ülkeler',
};
