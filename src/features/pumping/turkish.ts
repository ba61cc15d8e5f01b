/** Turkish texts by their English ones. */
export const TURKISH = {
  'Protection against SMS pumping': 'SMS dolandırıcılığına karşı koruma',
  'Unusually many codes go to one country or number range':
    'Bir ülkeye ya da numara aralığına alışılmadık sayıda kod gidiyor',
  '{value} codes in the last 10 minutes went to destinations with unusual traffic. This may be SMS pumping fraud.':
    'Son 10 dakikada {value} kod alışılmadık yoğunluktaki yerlere gitti. Bu, SMS dolandırıcılığı olabilir.',
  'Check which caller requests these codes. PUMPING_GUARD=enforce blocks them.':
    'Bu kodları kimin istediğini denetleyin. PUMPING_GUARD=enforce bunları engeller.',
  'Codes of the last 24 hours': 'Son 24 saatin kodları',
  'Unusually many codes went to {area}': 'Alışılmadık sayıda kod gitti: {area}',
  'several countries': 'birçok ülke',
  'Noticed {age} ago: {n} codes in the 24 hours before, more than usual. This may be SMS pumping fraud.':
    '{age} önce fark edildi: önceki 24 saatte {n} kod, her zamankinden fazla. Bu, SMS dolandırıcılığı olabilir.',
};
