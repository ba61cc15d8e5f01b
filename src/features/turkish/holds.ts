/**
 * Lists the texts about what holds messages. A clock time has no case ending, which would depend on its last
 * digit.
 */
export const TURKISH_HOLDS = {
  // What a message waits for.
  'Waiting: {why}. Expires {time}.': 'Bekliyor: {why}. Geçerlilik sonu: {time}.',
  'due now; the next free worker will send it': 'sırası geldi; ilk boş gönderici gönderecek',
  'quiet hours until {time}': 'sessiz saatler, bitiş {time}',
  'school data that is not imported yet ({why})': 'henüz içe aktarılmamış okul verisi ({why})',
  'next attempt at {time}': 'sonraki deneme {time}',
  'next attempt at {time} ({why})': 'sonraki deneme {time} ({why})',
  'expires {time}': 'geçerlilik sonu {time}',
  held: 'bekletildi',
  'held since {time}': 'bekletme başlangıcı {time}',

  // Why a message expired.
  '{reason}, {since} to {until}.': '{reason}, {since}–{until}.',
  '{reason}, since {since}.': '{reason}, başlangıç {since}.',
  '{reason} (from {since} on).': '{reason} (başlangıç {since}).',

  '{n} not delivered': '{n} mesaj iletilemedi',
  'no operation': 'işlem yok',
  'Requests without an operation fail': 'İşlemi olmayan istekler başarısız oluyor',
  '{value} of the requests that match no operation failed because of an error in the service.':
    'Hiçbir işleme uymayan isteklerin {value} hizmetteki bir hata yüzünden başarısız oldu.',
  'No calls over {bindings} yet: nothing shows that they work here.':
    'Henüz {bindings} üzerinden çağrı yok: burada çalıştıkları kanıtlanmadı.',

  // Retries.
  'Left out: {n} code, which has expired. It must be requested again.':
    'Dışarıda bırakıldı: süresi dolmuş {n} kod. Yeniden istenmesi gerekir.',
  'Left out: {n} codes, which have expired. They must be requested again.':
    'Dışarıda bırakıldı: süresi dolmuş {n} kod. Yeniden istenmeleri gerekir.',
  'Send {n} SMS again that the gateway may have sent already. It gave no clear answer; the recipient may get the code twice.':
    'Sağlayıcının göndermiş olabileceği {n} SMS’i yeniden gönder. Sağlayıcı açık bir yanıt vermedi; alıcıya kod iki kez gidebilir.',
  'Send {n} SMS again that the gateway may have sent already. It gave no clear answer; the recipients may get the codes twice.':
    'Sağlayıcının göndermiş olabileceği {n} SMS’i yeniden gönder. Sağlayıcı açık bir yanıt vermedi; alıcılara kod iki kez gidebilir.',

  // Timeline.
  '{time}, {age} late': '{time}, {age} gecikmeyle',
  'the next code is possible from {time}': 'yeni kod {time} itibarıyla istenebilir',

  // Alerts.
  'No worker is running': 'Çalışan gönderici yok',
  'Messages are accepted, but nothing is sent.': 'Mesajlar kabul ediliyor ama hiçbiri gönderilmiyor.',
  'Start a worker (ROLE=all or ROLE=worker). Its log has the reason why it ended.':
    'Bir gönderici başlatın (ROLE=all ya da ROLE=worker). Neden durduğu günlüğünde yazar.',
  'Nothing has been sent for {age}; messages waiting: {n}.':
    '{age} süredir hiçbir şey gönderilmedi; bekleyen mesaj: {n}.',
  '{who} refuses the account ({answer})': '{who} hesabı reddediyor ({answer})',
  '{who} refused the account ({answer}) for {age}': '{who} hesabı {age} boyunca reddetti ({answer})',
  '{who} is failing ({answer})': '{who} arızalı ({answer})',
  '{who} was failing ({answer}) for {age}': '{who} {age} boyunca arızalıydı ({answer})',
  '{who} asks for pauses ({answer})': '{who} ara verilmesini istiyor ({answer})',
  '{who} asked for pauses ({answer}) for {age}': '{who} {age} boyunca ara verilmesini istedi ({answer})',
  '{who} accepts fewer messages than are waiting': '{who} bekleyenden az mesaj kabul ediyor',
  '{who} accepted fewer messages than were waiting for {age}':
    '{who} {age} boyunca bekleyenden az mesaj kabul etti',
  'No worker was running for {age}': '{age} boyunca çalışan gönderici yoktu',
  'The database is not responding': 'Veritabanı yanıt vermiyor',
  'The database was not responding for {age}': 'Veritabanı {age} boyunca yanıt vermedi',
  'Nothing has been sent over {channel} for {age}; messages waiting: {n}.':
    '{age} süredir {channel} kanalından hiçbir şey gönderilmedi; bekleyen mesaj: {n}.',
  'It has been so for {age}. Its messages wait or go through another gateway; messages waiting: {n}.':
    'Bu durum {age} süredir sürüyor. Mesajları bekliyor ya da başka bir sağlayıcıdan gidiyor; bekleyen mesaj: {n}.',
  'It has been so for {age}; messages waiting: {n}.': 'Bu durum {age} süredir sürüyor; bekleyen mesaj: {n}.',
  'It ended {ago} ago. Codes that waited longer than they are valid have expired.':
    '{ago} önce sona erdi. Geçerlilik süresinden uzun bekleyen kodların süresi doldu.',
  'A gateway accepts fewer messages than are waiting': 'Bir sağlayıcı bekleyenden az mesaj kabul ediyor',
  'Its messages wait longer than usual. Codes expire after 5 minutes.':
    'Mesajları her zamankinden uzun bekliyor. Kodların süresi 5 dakikada dolar.',
  'Ask the provider for a higher limit, or add another gateway to the route.':
    'Sağlayıcıdan daha yüksek bir sınır isteyin ya da rotaya başka bir sağlayıcı ekleyin.',
  'Sending works again': 'Gönderim yeniden çalışıyor',
  'Codes that waited longer than they are valid have expired.':
    'Geçerlilik süresinden uzun bekleyen kodların süresi doldu.',
  'Tell the people concerned to request new codes.': 'İlgili kişilere yeni kod istemelerini söyleyin.',
  'Expired messages': 'Süresi dolan mesajlar',
  'Waiting messages': 'Bekleyen mesajlar',
  'Open one of the waiting codes: it shows what it waits for.':
    'Bekleyen kodlardan birini açın: ne beklediği orada yazar.',
  'Open one of them: it shows what it waits for.': 'Birini açın: ne beklediği orada yazar.',
  'The log of the worker has the error.': 'Hata, göndericinin günlüğündedir.',
  'Some codes are not delivered': 'Kodların bir kısmı ulaştırılamıyor',
  '{codes} codes to {numbers} numbers failed or expired in the last 10 minutes.':
    'Son 10 dakikada kodların bir kısmı gönderilemedi ya da süresi doldu: {codes}, {numbers}.',
  '{codes} codes to {numbers} numbers failed or expired in the last 10 minutes, not counting the {n} that expired while they were held.':
    'Son 10 dakikada kodların bir kısmı gönderilemedi ya da süresi doldu: {codes}, {numbers}; bekletilirken süresi dolan {n} kod sayılmadı.',
  '{n} codes to {m} numbers expired in the last 10 minutes while they were held.':
    'Son 10 dakikada {m} numaraya giden {n} kodun süresi bekletilirken doldu.',
  '{n} of {m}': '{m} numaradan {n}’{n_si}',
  '{value} of the attempts were rejected. Each message shows the code of the gateway.':
    'Denenen {value} reddedildi. Sağlayıcının kodu her mesajda yazar.',
  'Trial mode: SMS are not sent': 'Deneme modu: SMS gönderilmiyor',
  'Trial mode: push messages are not sent': 'Deneme modu: anlık bildirim gönderilmiyor',
  'Trial mode: SMS and push messages are not sent': 'Deneme modu: SMS ve anlık bildirim gönderilmiyor',
  'The database holds the sample school. These messages are only written to a file in DATA_DIR.':
    'Veritabanında örnek okul var. Bu mesajlar yalnızca DATA_DIR içindeki bir dosyaya yazılıyor.',
} as const satisfies Readonly<Record<string, string>>;
