/** Turkish texts of the alerts that the console shows, by their English ones. */
export const TURKISH_ALERTS = {
  '{instance} cannot use its database': '{instance} veritabanını kullanamıyor',
  'The process runs, but /readyz of {instance} answers 503: new messages are rejected and none are sent.':
    'Süreç çalışıyor ama {instance} /readyz isteğine 503 yanıtı veriyor: yeni mesajlar geri çevriliyor, hiçbiri gönderilmiyor.',
  'Check the database and its disk. The log of the service has the error.':
    'Veritabanını ve diskini denetleyin. Hata, hizmetin günlüğündedir.',
  '{operation} fails': '{operation} hata veriyor',
  '{value} of the requests for {operation} failed because of an error in the service.':
    '{operation} isteklerinin {value} hizmetteki bir hata yüzünden başarısız oldu.',
  'Look in the log for lines with outcome server_error: err is the cause.':
    'Günlükte outcome server_error satırlarına bakın: err nedenidir.',
  'Most {operation} requests over {binding} are rejected':
    '{binding} üzerinden {operation} isteklerinin çoğu reddediliyor',
  '{value} of the {operation} requests over {binding} were invalid or not allowed.':
    '{binding} üzerinden {operation} isteklerinin {value} geçersizdi ya da izinsizdi.',
  'See the reasons on the Requests page, then contact the caller.':
    'İstekler sayfasında nedenlere bakın, sonra istemcinin sahibiyle görüşün.',
  'Codes are not being sent': 'Kodlar gönderilmiyor',
  'The oldest code has been waiting for {value}. A code expires after 5 minutes.':
    'En eski kod {value} süredir bekliyor. Bir kodun süresi 5 dakikada dolar.',
  'Codes are sent late': 'Kodlar geç gönderiliyor',
  '1% of the codes are sent later than {value} after the request.':
    'Kodların %1’i istekten en az {value} sonra gönderiliyor.',
  'Raise SMS_CONCURRENCY if the gateway allows it.':
    'Sağlayıcı izin veriyorsa SMS_CONCURRENCY değerini artırın.',
  'Codes are not delivered': 'Kodlar ulaşmıyor',
  '{value} codes failed or expired in the last 10 minutes.':
    'Son 10 dakikada kodlar: {value} başarısız oldu ya da süresi doldu.',
  'Open the failed codes: each shows its reason and what to do.':
    'Başarısız kodları açın: her birinde nedeni ve yapılacak iş yazar.',
  'Many push messages fail': 'Birçok anlık bildirim başarısız',
  '{value} of the push messages of the last hour failed or expired.':
    'Son bir saatteki anlık bildirimler: {value} başarısız oldu ya da süresi doldu.',
  'Open the failed messages: each shows its reason and what to do.':
    'Başarısız mesajları açın: her birinde nedeni ve yapılacak iş yazar.',
  'Failed messages pile up ({channel})': 'Başarısız mesajlar birikiyor ({channel})',
  '{value} messages failed within 24 hours. They are kept for KEEP_MESSAGES_DAYS, or until you retry them.':
    '24 saatte {value} mesaj başarısız oldu. Yeniden denenene ya da KEEP_MESSAGES_DAYS süresi dolana kadar saklanırlar.',
  'Fix the cause, then retry them with school-notifications deliveries retry.':
    'Nedeni giderin, sonra school-notifications deliveries retry ile yeniden deneyin.',
  'Mark notes are waiting for school data': 'Not bildirimleri okul verilerini bekliyor',
  'The oldest SendMarkNotes request has been waiting for {value}. It fails after 24 hours.':
    'En eski SendMarkNotes isteği {value} süredir bekliyor. 24 saat sonra başarısız olur.',
  'Import the school, class or note type that the request names.':
    'İsteğin andığı okulu, sınıfı ya da bildirim türünü içe aktarın.',
  'Push messages are not being sent': 'Anlık bildirimler gönderilmiyor',
  'The oldest push message has been waiting for {value}, longer than quiet hours. It expires after 24 hours.':
    'En eski anlık bildirim {value} süredir bekliyor; bu, sessiz saatlerden uzun. 24 saatte süresi dolar.',
  'Nothing is being sent ({channel})': 'Hiçbir şey gönderilmiyor ({channel})',
  'A message has been due for {value}, and none was sent in the last 10 minutes.':
    'Bir mesajın sırası {value} önce geldi, son 10 dakikada hiçbiri gönderilmedi.',
  'The {channel} gateway refuses the account': '{channel} sağlayıcısı hesabı reddediyor',
  'Nothing is sent over {channel}: the credentials are wrong, the credit is used up, or the account is blocked.':
    '{channel} kanalından hiçbir şey gönderilmiyor: kimlik bilgileri yanlış, kredi bitmiş ya da hesap engellenmiş.',
  'Correct GATEWAYS_FILE or FCM_SERVICE_ACCOUNT, or top up the credit. school-notifications gateways test NAME NUMBER shows the answer.':
    'GATEWAYS_FILE ya da FCM_SERVICE_ACCOUNT ayarını düzeltin veya kredi yükleyin. school-notifications gateways test AD NUMARA yanıtı gösterir.',
  'The {channel} gateway rejects messages': '{channel} sağlayıcısı mesajları reddediyor',
  "Run school-notifications gateways test NAME NUMBER to see the gateway's answer.":
    'Sağlayıcının yanıtını görmek için school-notifications gateways test NAME NUMBER komutunu çalıştırın.',
  'The {channel} gateway is failing': '{channel} sağlayıcısı arızalı',
  'Sending over {channel} is paused because the gateway keeps failing. Messages wait and are sent once it works again.':
    'Sağlayıcı sürekli hata verdiği için {channel} gönderimi duraklatıldı. Mesajlar bekler ve düzelince gönderilir.',
  'Run school-notifications check to test the connection, and look at the status page of the gateway.':
    'Bağlantıyı school-notifications check ile sınayın ve sağlayıcının durum sayfasına bakın.',
  'No device belongs to the Firebase project': 'Hiçbir cihaz bu Firebase projesine ait değil',
  'FCM refused {value} push messages of the last hour for this reason, and accepted none.':
    'FCM son bir saatte {value} anlık bildirimi bu nedenle reddetti, hiçbirini kabul etmedi.',
  'Set FCM_SERVICE_ACCOUNT to the key of the project that the app uses, or import the tokens of this project.':
    'FCM_SERVICE_ACCOUNT ayarına uygulamanın kullandığı projenin anahtarını verin ya da bu projenin anahtarlarını içe aktarın.',
  'Messages are not sent ({channel})': 'Mesajlar gönderilmiyor ({channel})',
  'Messages of the channel {channel} are only written to a file in DATA_DIR. They are not delivered.':
    '{channel} kanalının mesajları yalnızca DATA_DIR içindeki bir dosyaya yazılıyor. Kimseye ulaşmıyor.',
  'Configure an SMS gateway (docs/sms-gateways.md) or Firebase (docs/push.md).':
    'Bir SMS sağlayıcısı (docs/sms-gateways.md) ya da Firebase (docs/push.md) ayarlayın.',
  'Trial mode: messages are not sent': 'Deneme modu: mesajlar gönderilmiyor',
  'The database holds the sample school, and SMS or push messages are only written to a file in DATA_DIR.':
    'Veritabanında örnek okul var; SMS ve anlık bildirimler yalnızca DATA_DIR içindeki bir dosyaya yazılıyor.',
  'To go live, import the data of your school and configure a gateway (docs/sms-gateways.md).':
    'Gerçek kullanım için okulunuzun verilerini aktarın ve bir sağlayıcı ayarlayın (docs/sms-gateways.md).',
  'The PostgreSQL server {server} accepts writes beside the primary':
    '{server} PostgreSQL sunucusu birincil sunucunun yanında yazma kabul ediyor',
  'Data written to {server} is missing from the primary. This service uses the server with the highest timeline.':
    '{server} sunucusuna yazılan veriler birincil sunucuda yoktur. Bu hizmet, zaman çizgisi en yüksek olan sunucuyu kullanır.',
  'Stop that server, save what was written only there, and make it a standby: see docs/several-nodes.md.':
    'O sunucuyu durdurun, yalnızca oraya yazılanları kurtarın ve sunucuyu yedek yapın: docs/several-nodes.md.',
  'The disk of {instance} is filling up': '{instance} diski doluyor',
  '{value} of the disk with DATA_DIR is free.': 'DATA_DIR diskinde boş yer: {value}.',
  'Free space or lower KEEP_MESSAGES_DAYS.': 'Yer açın ya da KEEP_MESSAGES_DAYS değerini düşürün.',
  'The disk of {instance} is almost full': '{instance} diski neredeyse dolu',
  '{value} of the disk with DATA_DIR is free. When the disk is full, new messages are rejected.':
    'DATA_DIR diskinde boş yer: {value}. Disk dolunca yeni mesajlar geri çevrilir.',
  'Free space now, or lower KEEP_MESSAGES_DAYS.': 'Hemen yer açın ya da KEEP_MESSAGES_DAYS değerini düşürün.',
  'Node {node} is silent': '{node} düğümünden ses yok',
  'Node {node} last reported {value} ago and did not shut down cleanly.':
    '{node} düğümünden son sinyal {value} önce geldi; düzgün kapanmadı.',
  'Check that it runs and reaches the database. A node that was removed is forgotten after 24 hours.':
    'Çalıştığını ve veritabanına ulaştığını denetleyin. Kaldırılan düğüm 24 saat sonra unutulur.',
  'The clock of {instance} jumped': '{instance} saati atladı',
  'The system clock was changed by more than 30 seconds within the last hour. Codes may have expired early or late.':
    'Sistem saati son bir saatte 30 saniyeden fazla değişti. Kodların süresi erken ya da geç dolmuş olabilir.',
  'Check time synchronization (timedatectl), and whether the machine was suspended.':
    'Saat eşitlemesini (timedatectl) ve makinenin uykuya geçip geçmediğini denetleyin.',
  'The certificate of {instance} expires soon': '{instance} sertifikasının süresi yakında doluyor',
  'It expires in {value}.': 'Kalan süre: {value}.',
  'Renew the certificate (TLS_CERT_FILE) and reload the service.':
    'Sertifikayı (TLS_CERT_FILE) yenileyip hizmete ayarlarını yeniden yükletin.',
  'The certificate of {instance} is about to expire': '{instance} sertifikasının süresi dolmak üzere',
  'It expires in {value}. Callers reject an expired certificate.':
    'Kalan süre: {value}. Süresi dolan sertifikayı istemciler kabul etmez.',
  'Renew the certificate (TLS_CERT_FILE) now and reload the service.':
    'Sertifikayı (TLS_CERT_FILE) hemen yenileyip hizmete ayarlarını yeniden yükletin.',
  'Settings have errors': 'Bazı ayarlar çalışmıyor',
  'Errors: {value}.': 'Hatalar: {value}.',
  'Fix them and restart the service.': 'Düzeltip hizmeti yeniden başlatın.',
  'Settings have warnings': 'Ayarlarda uyarılar var',
  'Warnings: {value}.': 'Uyarı: {value}.',
  'The service works; each warning says what to do.': 'Hizmet çalışıyor; her uyarıda ne yapılacağı yazar.',
  'Waiting codes': 'Bekleyen kodlar',
  'Failed codes of the last hour': 'Son bir saatin başarısız kodları',
  'Failed push messages': 'Başarısız anlık bildirimler',
  'Waiting requests': 'Bekleyen istekler',
  'Waiting push messages': 'Bekleyen anlık bildirimler',
  'Waiting messages': 'Bekleyen mesajlar',
};
