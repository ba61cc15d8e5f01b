/** Turkish texts by their English ones. Names in braces stand for values. */
export const TURKISH = {
  Activity: 'Etkinlik',
  'Messages by result': 'Sonuca göre mesajlar',
  'No data in this period.': 'Bu sürede veri yok.',
  Plot: 'Grafik',
  'Requests by binding': 'Bağlantı türüne göre istekler',
  'Requests by operation': 'İşleme göre istekler',
  'Time range': 'Zaman aralığı',
  'Time until sent': 'Gönderime kadar geçen süre',
  'other failures': 'diğer hatalar',
  '{channel} 99th percentile': '{channel} %99’luk dilim',
  '{channel} median': '{channel} ortanca',
  '{title} as a table': '{title} (tablo)',
};
