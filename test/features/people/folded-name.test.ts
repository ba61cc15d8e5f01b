import { foldName, nameTest } from '../../../src/features/people/folded-name';

describe('a name', () => {
  it.each([
    ['Işıl Çağlar', 'isil caglar'],
    ['IŞIL ÇAĞLAR', 'isil caglar'],
    ['İSMAİL', 'ismail'],
    ['Âdem Gülşen', 'adem gulsen'],
    ['O’Brien-Weiß', 'o brien weiss'],
    ['Ayşe'.normalize('NFD'), 'ayse'],
    ['Łukasz  Ørsted', 'lukasz orsted'],
    ['Ирина', 'ирина'],
  ])('%s is compared as %s', (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });

  it.each([
    ['ayse yil', 'Ayşe Nur Yılmaz', true],
    ['YILMAZ AYŞE', 'Ayşe Nur Yılmaz', true],
    ['yilmaz', 'Ayşe Yıldız', false],
    ['se', 'Ayşe', false],
    ['a kaya', 'Ayşe Kaya', true],
  ])('%j finds %j: %j', (text, name, isFound) => {
    expect(nameTest(text)?.(foldName(name))).toBe(isFound);
  });

  it.each(['', 'a', ' - ', 'a b'])('is not sought by %j', (text) => {
    expect(nameTest(text)).toBeUndefined();
  });
});
