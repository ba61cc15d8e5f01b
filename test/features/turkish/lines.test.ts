import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Words } from '../../../src/admin/texts/words';
import { featureTranslations } from '../../../src/features/feature';
import { filled } from '../../../src/support/phrase';

const SOURCES = join(__dirname, '..', '..', '..', 'src');
const written = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(?:ts|json)$/.test(path) && !path.includes('turkish'))
  .map((path) => readFileSync(join(SOURCES, path), 'utf8'))
  .join('\n');

describe('a line that another room has put together', () => {
  const words = new Words('tr', 'UTC');
  const lines = Object.entries(featureTranslations('tr', 'lines'));

  it.each(lines)('is one that the service writes: %s', (english) => {
    // Its longest clause: the code puts some lines together.
    const clauses = english.split(/\{\w+\}|[.,;:()]|personal data|a secret/).map((clause) => clause.trim());
    const [longest = ''] = clauses.sort((one, other) => other.length - one.length);
    expect([longest, written.includes(longest)]).toEqual([longest, true]);
  });

  it.each(lines)('is not taken for another one: %s', (english, turkish) => {
    const value = (name: string) => `<${name}>`;
    expect(words.line(filled(english, value))).toBe(filled(turkish, value));
  });

  it.each([
    [
      'The text of a code needs 2 SMS, which are charged separately (tr, to TR). Shorten it. [/etc/x.env, SMS_TEXT: line 3]',
      'Kod metni 2 SMS tutuyor; her biri ayrı ücretlendirilir (tr, to TR). Metni kısaltın. [/etc/x.env, SMS_TEXT: satır 3]',
    ],
    [
      "/data contains personal data and is accessible to users other than its owner (mode 755). Run: chmod 700 '/data'",
      "/data kişisel veri içeriyor ve başka kullanıcılara da açık (izinler: 755). Çalıştırın: chmod 700 '/data'",
    ],
  ])('is translated: %s', (english, turkish) => {
    expect(words.line(english)).toBe(turkish);
    expect(new Words('en', 'UTC').line(english)).toBe(english);
  });

  it('that the catalogue lacks is none of these', () => {
    expect(words.line('Something new.')).toBeUndefined();
  });
});
