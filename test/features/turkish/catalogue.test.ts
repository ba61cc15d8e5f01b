import { FEATURES } from '../../../src/features';
import type { Feature } from '../../../src/features/feature';

const listed: readonly (readonly [string, Feature])[] = Object.entries(FEATURES);

it.each(['texts', 'lines'] as const)('gives each of the %s one translation', (member) => {
  const translations = new Map<string, string>();
  const others = listed.flatMap(([feature, { [member]: all }]) =>
    Object.entries(all?.['tr'] ?? {}).flatMap(([english, turkish]) => {
      const first = translations.get(english) ?? turkish;
      translations.set(english, first);
      return first === turkish ? [] : [[feature, english, turkish, first]];
    }),
  );
  expect(others).toEqual([]);
});

it('has no values that the English texts lack', () => {
  const namesIn = (text: string) => [...text.matchAll(/\{(\w+?)(?:_si)?\}/g)].map(([, name]) => name);
  const wrong = listed.flatMap(([, { texts, lines }]) =>
    Object.entries({ ...texts?.['tr'], ...lines?.['tr'] }).filter(([english, turkish]) => {
      const names = new Set(namesIn(english));
      return namesIn(turkish).some((name) => !names.has(name));
    }),
  );
  expect(wrong).toEqual([]);
});

it('names the beginning of a time before its end', () => {
  const spans = listed
    .flatMap(([, { texts }]) => Object.entries(texts?.['tr'] ?? {}))
    .filter(([english]) => english.includes('{since}') && english.includes('{until}'));
  expect(spans.length).toBeGreaterThan(0);
  expect(spans.filter(([, turkish]) => !/\{since\}.*\{until\}/.test(turkish))).toEqual([]);
});
