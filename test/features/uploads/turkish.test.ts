import { Words } from '../../../src/admin/texts/words';

it.each([
  ['duplicate of line 2 by tr-TR', '2. satırın tekrarı (tr-TR karşılaştırmasıyla)'],
  ['duplicate of line 17', '17. satırın tekrarı'],
  ['has 1 cell, the header 5 (delimiter: tab)', '1 hücre var, başlıkta 5 (ayraç: sekme)'],
])('translates an error of an import: %s', (english, turkish) => {
  expect(new Words('tr', 'UTC').line(english)).toBe(turkish);
});
