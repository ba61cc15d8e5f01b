/** Turkish texts by their English ones. */
export const TURKISH = {
  'Many SMS of the gateway {gateway} do not arrive': '{gateway} sağlayıcısının birçok SMS’i ulaşmıyor',
  '{value} of the SMS with a receipt within 24 hours were not delivered.':
    '24 saat içinde raporu gelen SMS’ler: {value} teslim edilemedi.',
  'Open the sent codes: each receipt has the gateway’s code. Ask the provider, or change the route.':
    'Gönderilen kodları açın: raporda sağlayıcının kodu vardır. Sağlayıcıya sorun ya da yönlendirmeyi değiştirin.',
  'Receipts of the gateway {gateway} are not understood': '{gateway} sağlayıcısının raporları anlaşılamıyor',
  '{value} of its receipts within 24 hours match no rule in GATEWAYS_FILE.':
    '24 saat içindeki raporlar: {value} GATEWAYS_FILE içindeki hiçbir kurala uymuyor.',
  'Save one call of the gateway to a file and try it with school-notifications gateways receipt; then correct "receipts".':
    'Sağlayıcının bir çağrısını dosyaya kaydedip school-notifications gateways receipt ile deneyin; sonra "receipts" alanını düzeltin.',
  'Sent codes of the last 24 hours': 'Son 24 saatte gönderilen kodlar',
};
