/**
 * Turkish texts of warnings about settings and files, and of the reasons that callers get, by their
 * English ones. The log has the same lines, as whole texts: names in braces stand for what differs.
 */
export const TURKISH_FINDINGS = {
  'SMS are not sent (SMS_CHANNEL=file); they are only written to a file.':
    'SMS gönderilmiyor (SMS_CHANNEL=file); yalnızca bir dosyaya yazılıyor.',
  'Push messages are not sent (PUSH_CHANNEL=file); they are only written to a file.':
    'Anlık bildirimler gönderilmiyor (PUSH_CHANNEL=file); yalnızca bir dosyaya yazılıyor.',
  'GATEWAYS_FILE is set, but SMS are not sent (SMS_CHANNEL=file). Set SMS_CHANNEL=http.':
    'GATEWAYS_FILE ayarlı ama SMS gönderilmiyor (SMS_CHANNEL=file). SMS_CHANNEL=http yapın.',
  'DEFAULT_COUNTRY is not set. Numbers without a country code go to the SMS gateway unchanged, and limits only compare their last nine digits.':
    'DEFAULT_COUNTRY ayarlı değil. Ülke kodu olmayan numaralar SMS sağlayıcısına olduğu gibi gider ve sınırlar yalnızca son dokuz rakamı karşılaştırır.',
  'The text of a code needs {n} SMS, which are charged separately ({where}). Shorten it.':
    'Kod metni {n} SMS tutuyor; her biri ayrı ücretlendirilir ({where}). Metni kısaltın.',
  'The text of a code needs {n} SMS, which are charged separately ({where}). Shorten it, or avoid letters that are not in GSM-7.':
    'Kod metni {n} SMS tutuyor; her biri ayrı ücretlendirilir ({where}). Metni kısaltın ya da GSM-7’de olmayan harfleri kullanmayın.',
  'GATEWAYS_FILE: {place} is never used: {other} matches first.':
    'GATEWAYS_FILE: {place} hiç kullanılmıyor: önce {other} eşleşiyor.',
  'Node.js {major} has received no security fixes since {day}. Upgrade to Node.js 24.':
    'Node.js {major} için {day} gününden sonra güvenlik düzeltmesi yayımlanmıyor. Node.js 24’e yükseltin.',
  'ACCESS_FILE identifies callers by certificate, which requires TLS_CLIENT_CA_FILE.':
    'ACCESS_FILE istemcileri sertifikayla tanıyor; bunun için TLS_CLIENT_CA_FILE gerekir.',
  'Anyone who can reach this port may call every operation. Set ACCESS_FILE to restrict it.':
    'Bu bağlantı noktasına ulaşan herkes her işlemi çağırabilir. Kısıtlamak için ACCESS_FILE ayarlayın.',
  'Any host name is accepted, which allows DNS rebinding attacks from web pages. Set ALLOWED_HOSTS to restrict it.':
    'Her sunucu adı kabul ediliyor; bu, web sayfalarından DNS rebinding saldırılarına açıktır. Kısıtlamak için ALLOWED_HOSTS ayarlayın.',
  'BASE_URL begins with http://, although the service uses TLS. Change it to https://.':
    'Hizmet TLS kullanıyor ama BASE_URL http:// ile başlıyor. https:// olarak değiştirin.',
  'The certificate (TLS_CERT_FILE) has expired, so callers reject it. Renew it.':
    'Sertifikanın (TLS_CERT_FILE) süresi doldu; istemciler onu reddediyor. Yenileyin.',
  'The certificate (TLS_CERT_FILE) is not valid yet, so callers reject it.':
    'Sertifika (TLS_CERT_FILE) henüz geçerli değil; istemciler onu reddediyor.',
  'The certificate (TLS_CERT_FILE) expires soon. Renew it, then reload the service.':
    'Sertifikanın (TLS_CERT_FILE) süresi yakında doluyor. Yenileyin, sonra hizmete ayarları yeniden yükletin.',
  '{path} contains personal data and is accessible to users other than {others} (mode {mode}). Run: {command}':
    '{path} kişisel veri içeriyor ve başka kullanıcılara da açık (izinler: {mode}). Çalıştırın: {command}',
  '{path} contains a secret and is accessible to users other than {others} (mode {mode}). Run: {command}':
    '{path} gizli bilgi içeriyor ve başka kullanıcılara da açık (izinler: {mode}). Çalıştırın: {command}',
  // Where settings come from, and what is checked of the database.
  environment: 'ortam',
  engine: 'motor',
  file: 'dosya',
  writable: 'yazılabilir',
  schema: 'şema',
  backup: 'yedek',
  // Why a call was refused.
  'Missing parameter: {name}.': 'Eksik parametre: {name}.',
  'Parameter {name} is empty.': '{name} parametresi boş.',
  'Parameter {name} is longer than {n} characters.': '{name} parametresi {n} karakterden uzun.',
  'Parameter code has an invalid format.': 'code parametresinin biçimi geçersiz.',
  'Parameter phone is not a valid phone number.': 'phone parametresi geçerli bir telefon numarası değil.',
  'Codes are not sent to phone numbers in this country.': 'Bu ülkenin numaralarına kod gönderilmiyor.',
  'Codes are not sent to premium and satellite numbers.':
    'Özel ücretli numaralara ve uydu numaralarına kod gönderilmiyor.',
  'Too many codes for this phone.': 'Bu telefona çok fazla kod istendi.',
  'A header block was not understood.': 'Bir SOAP başlığı anlaşılamadı.',
  'The body has a transfer coding other than chunked.':
    'Gövde, chunked dışında bir aktarım kodlaması kullanıyor.',
  'The envelope has neither SOAP version.': 'Zarf, iki SOAP sürümünden hiçbirine uymuyor.',
  'Access denied: {why}.': 'Erişim reddedildi: {why}.',
  '{name} is set twice in {file} (lines {one} and {other}); the last one is used':
    '{name}, {file} içinde iki kez ayarlanmış ({one}. ve {other}. satırlar); sonuncusu geçerlidir',
  '{place}: unknown setting; ignored.{hint}': '{place}: bilinmeyen ayar; yok sayıldı.{hint}',
  '{place}: unknown setting {name}; ignored.{hint}': '{place}: bilinmeyen ayar {name}; yok sayıldı.{hint}',
};
