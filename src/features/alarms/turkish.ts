/** Turkish texts by their English ones. */
export const TURKISH = {
  Alarms: 'Uyarı bildirimleri',
};
