import type { HoldText, ReasonText, RefusalText } from '../../store';

/**
 * Turkish texts about reasons, refusals and holds by the English ones of the store; the compiler names each
 * missing one. A clock time has no case ending, which would depend on its last digit.
 */
export const TURKISH_REASONS = {
  school: 'okul',
  class: 'sınıf',
  note: 'bildirim',
  '{n} second': '{n} saniye',
  '{n} seconds': '{n} saniye',
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
  'A newer version of the program recorded this reason. View the message there.':
    'Bu nedeni programın daha yeni bir sürümü kaydetmiş. Mesaja orada bakın.',
  '{who} refuses the account ({answer}) since {since}':
    '{who} hesabı reddediyor ({answer}), başlangıç {since}',
  '{who} refused the account ({answer}), {since} to {until}':
    '{who} hesabı reddetti ({answer}), {since}–{until}',
  '{who} has been failing ({answer}) since {since}': '{who} arızalı ({answer}), başlangıç {since}',
  '{who} was failing ({answer}), {since} to {until}': '{who} arızalıydı ({answer}), {since}–{until}',
  '{who} asked for a pause ({answer}) at {since}': '{who} ara verilmesini istedi ({answer}), saat {since}',
  '{who} asked for a pause ({answer}), {since} to {until}':
    '{who} ara verilmesini istedi ({answer}), {since}–{until}',
  '{who} has been accepting fewer messages than are waiting since {since}':
    '{who} bekleyenden az mesaj kabul ediyor, başlangıç {since}',
  '{who} accepted fewer messages than were waiting, {since} to {until}':
    '{who} bekleyenden az mesaj kabul etti, {since}–{until}',
  'no worker has been running since {since}': 'çalışan gönderici yok, başlangıç {since}',
  'no worker was running, {since} to {until}': 'çalışan gönderici yoktu, {since}–{until}',
  'the database has not responded since {since}': 'veritabanı yanıt vermiyor, başlangıç {since}',
  'the database was not responding, {since} to {until}': 'veritabanı yanıt vermedi, {since}–{until}',
  'no answer': 'yanıt yok',
  '{code}: {meaning}': '{code}: {meaning}',
  'code {code}': 'kod {code}',
  'HTTP {status}': 'HTTP {status}',
  'HTTP {status}: {meaning}': 'HTTP {status}: {meaning}',
  'Expired while {who} refused the account ({answer}).': '{who} hesabı reddederken ({answer}) süresi doldu.',
  'Expired while {who} was failing ({answer}).': '{who} arızalıyken ({answer}) süresi doldu.',
  'Expired while {who} asked for a pause ({answer}).':
    '{who} ara verilmesini istediği için ({answer}) süresi doldu.',
  'Expired because {who} accepted fewer messages than were waiting.':
    '{who} bekleyenden az mesaj kabul ettiği için süresi doldu.',
  'Expired while no worker was running.': 'Çalışan gönderici yokken süresi doldu.',
  'Expired while the database was not responding.': 'Veritabanı yanıt vermezken süresi doldu.',
  'Expired during quiet hours.': 'Sessiz saatlerde süresi doldu.',
  'Correct the credentials or the sender, or top up the credit.':
    'Kimlik bilgilerini ya da göndereni düzeltin veya kredi yükleyin.',
  'See the provider’s status page or contact its support.':
    'Sağlayıcının durum sayfasına bakın ya da destek ekibine başvurun.',
  'Ask the provider for a higher limit.': 'Sağlayıcıdan daha yüksek bir sınır isteyin.',
  'Ask the provider for a higher limit, or add another gateway.':
    'Sağlayıcıdan daha yüksek bir sınır isteyin ya da başka bir sağlayıcı ekleyin.',
  'Keep a worker running (ROLE=all or ROLE=worker). The log has the reason why it ended.':
    'Bir göndericinin çalıştığından emin olun (ROLE=all ya da ROLE=worker). Neden durduğu günlükte yazar.',
  'Check the database and its disk. The log of the service has the error.':
    'Veritabanını ve diskini denetleyin. Hata, hizmetin günlüğündedir.',
  'Shorten QUIET_HOURS, or the hours of the school in DELIVERY_FILE.':
    'QUIET_HOURS ayarını ya da okulun DELIVERY_FILE içindeki saatlerini kısaltın.',
  'It waited for a free worker until its end. The log of the worker shows what it did meanwhile.':
    'Süresi dolana kadar boş bir gönderici bekledi. Göndericinin o sırada ne yaptığı günlüğünde yazar.',
} satisfies Readonly<Record<ReasonText | RefusalText | HoldText, string>>;
