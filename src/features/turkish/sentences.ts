/**
 * Turkish texts by the English ones that other rooms word: states, reasons, advice, alerts. Names in braces
 * stand for values.
 */
export const TURKISH_SENTENCES = {
  // States, channels, names of facts and groups.
  queued: 'kuyrukta',
  open: 'sürüyor',
  sending: 'gönderiliyor',
  written: 'dosyaya yazıldı',
  suppressed: 'atlandı',
  undelivered: 'teslim edilemedi',
  'no receipt': 'teslim raporu yok',
  operator: 'operatör',
  helpdesk: 'yardım masası',
  viewer: 'izleyici',
  sms: 'SMS',
  mark: 'not bildirimi',
  channel: 'kanal',
  state: 'durum',
  to: 'alıcı',
  school: 'okul',
  'school name': 'okul adı',
  class: 'sınıf',
  note: 'bildirim',
  student: 'öğrenci',
  country: 'ülke',
  gateway: 'sağlayıcı',
  day: 'gün',
  caller: 'istemci',
  request: 'not bildirimi',
  'without a device': 'cihazsız',
  attempts: 'deneme',
  created: 'oluşturulma',
  changed: 'değişme',
  'provider id': 'sağlayıcıdaki kimlik',
  receipt: 'teslim raporu',
  'receipt code': 'rapor kodu',
  'receipt time': 'rapor zamanı',
  parts: 'parça',
  reason: 'neden',
  explanation: 'açıklama',
  phone: 'telefon',
  Store: 'Depo',
  environment: 'ortam',
  engine: 'motor',
  file: 'dosya',
  writable: 'yazılabilir',
  schema: 'şema',
  backup: 'yedek',
  // Outcomes of attempts.
  'too busy': 'çok yoğun',
  'not accepted for now': 'şimdilik kabul edilmedi',
  'account refused': 'hesap reddedildi',
  'no clear answer': 'açık bir yanıt yok',
  // Actions.
  retry: 'yeniden deneme',
  cancel: 'iptal',
  export: 'dışa aktarma',
  import: 'içe aktarma',
  // Times.
  '{n} d': '{n} gün',
  '{n} h': '{n} sa',
  '{n} min': '{n} dk',
  '{n} s': '{n} sn',
  '{n} d {m} h': '{n} gün {m} sa',
  '{n} h {m} min': '{n} sa {m} dk',
  '{n} min {m} s': '{n} dk {m} sn',
  '{n} day': '{n} gün',
  '{n} days': '{n} gün',
  '{n} hour': '{n} saat',
  '{n} hours': '{n} saat',
  '{n} minute': '{n} dakika',
  '{n} minutes': '{n} dakika',
  '{n} second': '{n} saniye',
  '{n} seconds': '{n} saniye',
  'of any age': 'tüm',
  'of the last {from}': 'son {from} içindeki',
  'of the last {from}, before {until}': 'son {from} içindeki, {until} öncesi',
  'of the last {from}, older than {until}': 'son {from} içindeki, {until} süreden eski',
  'since {from}': '{from} sonrası',
  'since {from}, before {until}': '{from} – {until} arası',
  'since {from}, older than {until}': '{from} sonrası, {until} süreden eski',
  'before {until}': '{until} öncesi',
  'older than {until}': '{until} süreden eski',
  // Refusals of codes.
  'less than {age} after the last code': 'son koddan bu yana {age} geçmedi',
  'more than {n} code in 10 minutes': '10 dakikada {n} koddan fazla istendi',
  'more than {n} codes in 10 minutes': '10 dakikada {n} koddan fazla istendi',
  'more than {n} code in 24 hours': '24 saatte {n} koddan fazla istendi',
  'more than {n} codes in 24 hours': '24 saatte {n} koddan fazla istendi',
  'the limit of {n} codes a day for all numbers together': 'tüm numaralar için günlük {n} kod sınırı doldu',
  'more codes than usual to this destination (possible SMS pumping)':
    'bu bölgeye alışılmıştan çok kod istendi (olası SMS dolandırıcılığı)',
  'no codes are sent to this country (ALLOWED_COUNTRIES)': 'bu ülkeye kod gönderilmiyor (ALLOWED_COUNTRIES)',
  'a premium-rate or satellite number': 'özel ücretli ya da uydu numarası',
  // Reasons.
  'The provider': 'Sağlayıcı',
  'HTTP {status}, code {code}': 'HTTP {status}, kod {code}',
  'HTTP {status}, code {code}: {meaning}': 'HTTP {status}, kod {code}: {meaning}',
  'The provider did not answer in time.': 'Sağlayıcı zamanında yanıt vermedi.',
  'Could not connect to the provider ({error}).': 'Sağlayıcıya bağlanılamadı ({error}).',
  'The provider closed the connection without answering ({error}).':
    'Sağlayıcı yanıt vermeden bağlantıyı kapattı ({error}).',
  'The proxy refused the connection to the provider (HTTP {n}).':
    'Vekil sunucu sağlayıcıya bağlantıyı reddetti (HTTP {n}).',
  '{who} is limiting our rate ({answer}).': '{who} gönderim hızımızı sınırlıyor ({answer}).',
  '{who} failed ({answer}).': '{who} hata verdi ({answer}).',
  '{who} rejected the message ({answer}).': '{who} mesajı reddetti ({answer}).',
  '{who} refuses the account ({answer}).': '{who} hesabımızı reddediyor ({answer}).',
  '{who} gave a response that no rule in GATEWAYS_FILE matches ({answer}).':
    '{who} GATEWAYS_FILE kurallarında olmayan bir yanıt verdi ({answer}).',
  'The gateway’s response was cut off or could not be decoded.':
    'Sağlayıcının yanıtı yarıda kesildi ya da çözülemedi.',
  'The device is no longer registered with FCM ({answer}).': 'Cihazın FCM kaydı artık yok ({answer}).',
  'The device token is not valid ({answer}).': 'Cihaz anahtarı geçersiz ({answer}).',
  'FCM refused the message: too many for this device (HTTP 429).':
    'FCM mesajı reddetti: bu cihaza çok fazla gönderildi (HTTP 429).',
  'FCM’s key for Apple’s push service is not valid (HTTP 401, THIRD_PARTY_AUTH_ERROR).':
    'FCM’in Apple bildirim anahtarı geçersiz (HTTP 401, THIRD_PARTY_AUTH_ERROR).',
  'The device token belongs to another Firebase project (HTTP 403, SENDER_ID_MISMATCH).':
    'Cihaz anahtarı başka bir Firebase projesine ait (HTTP 403, SENDER_ID_MISMATCH).',
  'FCM rejected the access token (HTTP 401).': 'FCM erişim anahtarını reddetti (HTTP 401).',
  'Could not get an access token for FCM.': 'FCM için erişim anahtarı alınamadı.',
  'Could not get an access token for FCM ({why}).': 'FCM için erişim anahtarı alınamadı ({why}).',
  'its server answered HTTP {n}': 'sunucusu HTTP {n} yanıtı verdi',
  'its server answered HTTP {n}, invalid_grant: this machine’s clock is wrong, or the key was deleted':
    'sunucusu HTTP {n}, invalid_grant yanıtı verdi: bu makinenin saati yanlış ya da anahtar silinmiş',
  'Could not write the message to its file ({error}).': 'Mesaj dosyasına yazılamadı ({error}).',
  'Every worker that tried to send it died.': 'Göndermeyi deneyen her süreç çöktü.',
  'Internal error. See the service’s log.': 'İç hata. Hizmetin günlüğüne bakın.',
  'Internal error.': 'İç hata.',
  'Unknown school.': 'Okul tanınmıyor.',
  'Unknown class.': 'Sınıf tanınmıyor.',
  'Unknown note.': 'Bildirim tanınmıyor.',
  'Unknown {thing}, and too many notes are already waiting for data.':
    'Tanınmayan {thing}; üstelik veri bekleyen çok fazla bildirim var.',
  'The note no longer exists.': 'Bildirim artık yok.',
  'The device no longer has a valid token.': 'Cihazın geçerli anahtarı kalmadı.',
  'No student in the class has a device.': 'Sınıfta cihazı olan öğrenci yok.',
  '{n} of {m} not sent.': '{m} mesajdan {n}’{n_si} gönderilmedi.',
  '{n} of {m} not sent: {first}.': '{m} mesajdan {n}’{n_si} gönderilmedi: {first}.',
  '{n} of {m} not sent: {first} (and {k} for another reason).':
    '{m} mesajdan {n}’{n_si} gönderilmedi: {first} ({k}’{k_si} başka bir nedenle).',
  '{n} of {m} not sent: {first} (and {k} for other reasons).':
    '{m} mesajdan {n}’{n_si} gönderilmedi: {first} ({k}’{k_si} başka nedenlerle).',
  'Expired before it could be sent.': 'Gönderilemeden süresi doldu.',
  'The same note was sent to the same class shortly before.':
    'Aynı bildirim az önce aynı sınıfa gönderilmişti.',
  'Cancelled by an operator.': 'Bir operatör iptal etti.',
  // Advice about reasons.
  'The provider may have sent it, so a code is not sent twice. Ask the provider, quoting the time of the attempt. PROVIDER_TIMEOUT_SECONDS sets the time limit.':
    'Sağlayıcı göndermiş olabilir, bu yüzden kod ikinci kez gönderilmez. Deneme zamanını belirterek sağlayıcıya sorun. Süre sınırı: PROVIDER_TIMEOUT_SECONDS.',
  'Check the network, the firewall and the address in the settings. Run school-notifications check to test the connection.':
    'Ağı, güvenlik duvarını ve ayarlardaki adresi denetleyin. Bağlantıyı sınamak için school-notifications check çalıştırın.',
  'The provider may have sent it, so a code is not sent twice. If the gateway recognizes a repeated id, send it {id} and set "idempotent": true in GATEWAYS_FILE; the service then repeats such requests.':
    'Sağlayıcı göndermiş olabilir, bu yüzden kod ikinci kez gönderilmez. Sağlayıcı yinelenen kimliği tanıyorsa ona {id} gönderin ve GATEWAYS_FILE içinde "idempotent": true yazın; hizmet böyle istekleri o zaman yineler.',
  'Check HTTPS_PROXY and HTTP_PROXY, their credentials and the rules of the proxy.':
    'HTTPS_PROXY ve HTTP_PROXY ayarlarını, kimlik bilgilerini ve vekil sunucu kurallarını denetleyin.',
  'The service has slowed down. If this persists, ask the provider for a higher limit.':
    'Hizmet yavaşladı. Sürerse sağlayıcıdan daha yüksek sınır isteyin.',
  'See the provider’s status page or contact its support. Retry when it works again.':
    'Sağlayıcının durum sayfasına bakın ya da desteğini arayın. Düzelince yeniden deneyin.',
  'The provider’s documentation explains the code. Correct the cause before you retry.':
    'Kodun anlamı sağlayıcının belgelerindedir. Yeniden denemeden önce nedeni giderin.',
  'No message gets through. Correct the credentials or the sender, or top up the credit. The service tries one message a minute and sends the rest as soon as one is accepted.':
    'Hiçbir mesaj gitmiyor. Kimlik bilgilerini ya da göndericiyi düzeltin veya kredi yükleyin. Hizmet dakikada bir mesaj dener; biri kabul edilince gerisini gönderir.',
  'The provider may have sent it, so a code is not sent twice. Look the answer up in the provider’s documentation and add a rule for it.':
    'Sağlayıcı göndermiş olabilir, bu yüzden kod ikinci kez gönderilmez. Yanıtı sağlayıcının belgelerinde bulup bir kural ekleyin.',
  'The provider may have sent it, so a code is not sent twice. Ask the provider, quoting the time of the attempt.':
    'Sağlayıcı göndermiş olabilir, bu yüzden kod ikinci kez gönderilmez. Deneme zamanını belirterek sağlayıcıya sorun.',
  'The app was removed from the phone, or it has a new token. After the student has opened the app, the next import of devices.csv brings the new token.':
    'Uygulama telefondan kaldırılmış ya da anahtarı yenilenmiş. Öğrenci uygulamayı açınca sonraki devices.csv aktarımı yeni anahtarı getirir.',
  'It will be retried automatically. Find out which caller sends notes to one class this often.':
    'Kendiliğinden yeniden denenecek. Bir sınıfa bu kadar sık bildirim gönderen istemciyi bulun.',
  'Only iOS devices are affected. Upload a valid APNs key in the Firebase console; messages less than 24 hours old are then sent automatically.':
    'Yalnızca iOS cihazlar etkilenir. Firebase konsoluna geçerli bir APNs anahtarı yükleyin; 24 saatten yeni mesajlar kendiliğinden gönderilir.',
  'Check FCM_SERVICE_ACCOUNT, or import the tokens of this project.':
    'FCM_SERVICE_ACCOUNT ayarını denetleyin ya da bu projenin anahtarlarını içe aktarın.',
  'Check FCM_SERVICE_ACCOUNT and the token_uri in its file. Run school-notifications check to test them.':
    'FCM_SERVICE_ACCOUNT ayarını ve dosyasındaki token_uri değerini denetleyin. Sınamak için school-notifications check çalıştırın.',
  'Check the disk space and the permissions of DATA_DIR/outbox.':
    'Disk alanını ve DATA_DIR/outbox izinlerini denetleyin.',
  'Find the cause in the log before you retry.': 'Yeniden denemeden önce nedeni günlükte bulun.',
  'Search the log for the message id, then retry.': 'Günlükte mesaj kimliğini arayın, sonra yeniden deneyin.',
  'Import the school’s data with school-notifications import. Within 24 hours the note is then sent automatically; after that, retry it.':
    'Okulun verilerini school-notifications import ile aktarın. 24 saat içinde bildirim kendiliğinden gönderilir; sonrasında yeniden deneyin.',
  'Import the school’s data, or find out which caller sends notes for schools, classes or notes that do not exist.':
    'Okulun verilerini aktarın ya da var olmayan okul, sınıf ve bildirimler için hangi istemcinin istek gönderdiğini bulun.',
  'The note was removed before it could be sent. Import it again, then retry.':
    'Bildirim gönderilemeden kaldırılmış. Yeniden aktarıp tekrar deneyin.',
  'FCM no longer accepts its token, or the device was removed. The next import of devices.csv brings a new one.':
    'FCM anahtarı artık kabul etmiyor ya da cihaz kaldırıldı. Sonraki devices.csv aktarımı yenisini getirir.',
  'No student in this class uses the app yet.': 'Bu sınıfta uygulamayı kullanan öğrenci yok.',
  'Each push message below shows its own reason.': 'Aşağıdaki her anlık bildirim kendi nedenini gösterir.',
  'REPEAT_WINDOW suppresses repeated notes. Retry it to send the note twice.':
    'REPEAT_WINDOW yinelenen bildirimleri önler. İkinci kez göndermek için yeniden deneyin.',
  'If that was a mistake, retry it.': 'Yanlışlıkla olduysa yeniden deneyin.',
  // Meanings of states.
  'Being sent now.': 'Şu an gönderiliyor.',
  'Some of its push messages have not been sent yet.': 'Anlık bildirimlerinin bir kısmı henüz gönderilmedi.',
  'All of its push messages were sent.': 'Tüm anlık bildirimleri gönderildi.',
  'Accepted by the provider at {time}.': 'Sağlayıcı kabul etti: {time}.',
  'Accepted by the provider at {time} (id {id}).': 'Sağlayıcı kabul etti: {time} (kimlik {id}).',
  'Delivered.': 'Teslim edildi.',
  'Delivered at {time}.': 'Teslim edildi: {time}.',
  'Delivered by {time}; the gateway does not say when.':
    'En geç {time} itibarıyla teslim edildi; sağlayıcı tam zamanı bildirmiyor.',
  'Not delivered, the gateway reported.': 'Sağlayıcı teslim edilemediğini bildirdi.',
  'Not delivered, the gateway reported ({code}).': 'Sağlayıcı teslim edilemediğini bildirdi ({code}).',
  'Not delivered, the gateway reported at {time}.': 'Sağlayıcı teslim edilemediğini bildirdi: {time}.',
  'Not delivered, the gateway reported at {time} ({code}).':
    'Sağlayıcı teslim edilemediğini bildirdi: {time} ({code}).',
  'No receipt yet; many networks never send one.': 'Teslim raporu henüz yok; birçok şebeke hiç göndermez.',
  'The gateway reported something that no rule in GATEWAYS_FILE names ({code}).':
    'Sağlayıcı GATEWAYS_FILE kurallarında olmayan bir sonuç bildirdi ({code}).',
  'Only the provider knows whether it was delivered.': 'Teslim edilip edilmediğini yalnızca sağlayıcı bilir.',
  'Written to a file, not sent: no gateway is configured for it, or it is a test number.':
    'Dosyaya yazıldı, gönderilmedi: sağlayıcı ayarlanmamış ya da bu bir deneme numarası.',
  'Its push messages were written to a file, not sent: no gateway is configured.':
    'Anlık bildirimleri dosyaya yazıldı, gönderilmedi: sağlayıcı ayarlanmamış.',
  'Some of its push messages were sent, others were not.':
    'Anlık bildirimlerinin bir kısmı gönderildi, bir kısmı gönderilmedi.',
  'Not sent. The code has expired; request a new one.': 'Gönderilmedi. Kodun süresi doldu; yeni kod isteyin.',
  'Not sent. It will not be retried automatically.': 'Gönderilmedi. Kendiliğinden yeniden denenmeyecek.',
  'The code expired before it was sent; request a new one.':
    'Kodun süresi gönderilmeden doldu; yeni kod isteyin.',
  'It was not sent in time.': 'Zamanında gönderilemedi.',
  'Not sent, on purpose.': 'Bilerek gönderilmedi.',
  // Refused pages and forms.
  'This form is out of date. Reload the page and submit it again.':
    'Bu form eskimiş. Sayfayı yenileyip yeniden gönderin.',
  'Your role ({role}) does not permit this: {action}.': 'Rolünüz ({role}) buna izin vermiyor: {action}.',
  'A newer version of the program recorded this reason. View the message there.':
    'Bu nedeni programın daha yeni bir sürümü kaydetmiş. Mesaja orada bakın.',
  '{n} of {m} ({share}%)': '{m} mesajdan {n}’{n_si} (%{share})',
  '{share}%': '%{share}',
  '{n}%': '%{n}’{n_si}',
  'under 1%': '%1’den azı',
  'Filter the messages before you retry or cancel them.':
    'Yeniden denemeden ya da iptal etmeden önce mesajları filtreleyin.',
  'Wrong name or password.': 'Ad ya da parola yanlış.',
  'Too many attempts. Try again in {age}, or use a browser in which you have logged in before.':
    'Çok fazla deneme. {age} sonra yeniden deneyin ya da daha önce oturum açtığınız bir tarayıcı kullanın.',
  'Not a valid phone number.': 'Geçerli bir telefon numarası değil.',
  'Not a valid phone number (without a country code, {country} is assumed).':
    'Geçerli bir telefon numarası değil (ülke kodu yoksa {country} varsayılır).',
  'A phone number finds codes only, and codes have no {field}. Use one or the other.':
    'Telefon numarası yalnızca kodları bulur; kodlarda bu alan yoktur: {field}. İkisinden birini kullanın.',
  '“{text}” is not a valid age or time. Expected, for example, 10m, 2h, 1d or 2026-11-23T04:00Z.':
    '“{text}” geçerli bir yaş ya da zaman değil. Örnek: 10m, 2h, 1d ya da 2026-11-23T04:00Z.',
  '“{text}” is not a valid time. Expected, for example, 2026-11-23T04:05:00Z.':
    '“{text}” geçerli bir zaman değil. Örnek: 2026-11-23T04:05:00Z.',
  'The first time must be before the second, by at most one day, or {n} days if both are whole hours.':
    'İlk zaman ikincisinden önce olmalı: en çok bir gün ya da ikisi de tam saatse {n} gün.',
  'Unknown {field} “{text}”. Expected one of: {values}.': 'Bilinmeyen {field}: “{text}”. Beklenen: {values}.',
  'Database error: {error}': 'Veritabanı hatası: {error}',
  'Invalid request.': 'Geçersiz istek.',
  'The phone number in this link is no longer valid, because the service has restarted. Enter it again.':
    'Hizmet yeniden başladığı için bu bağlantıdaki numara artık geçerli değil. Numarayı yeniden girin.',
  // Imports.
  rows: 'satır',
  errors: 'hata',
  result: 'sonuç',
  refused: 'reddedildi',
  audit: 'denetim kaydı',
  loaded: 'yüklendi',
  others: 'diğerleri',
  // Settings, and the sections of their reference.
  line: 'satır',
  'All settings have their default values.': 'Bütün ayarlar varsayılan değerlerinde.',
  Defaults: 'Varsayılan değerler',
  'Addresses and pages': 'Adresler ve sayfalar',
  'Processes and log': 'Süreçler ve günlük',
  Data: 'Veriler',
  'Limits on a request': 'İstek sınırları',
  'Time limits': 'Süre sınırları',
  'Outbound proxy': 'Dışarıya vekil sunucu',
  'Push messages': 'Anlık bildirimler',
  Worker: 'Gönderici',
  'Texts and time zone': 'Metinler ve saat dilimi',
  'Limits on sending': 'Gönderim sınırları',
};
