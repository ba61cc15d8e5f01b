import type { Header, HttpAnswer } from '../../../src/migration/messages';
import { compareAnswers } from '../../../src/migration/verdict/compare-answers';
import type { Verdict } from '../../../src/migration/verdict/verdict';
import { readRepositoryFile } from '../../docs/repository-files';
import { encoded } from './encoded';
import { answer } from './answers';

// The tables in docs/internals/comparison.md are the tests.

interface Row {
  readonly name: string;
  readonly old: string;
  readonly ours: string;
  readonly level: string;
  readonly reported: string;
}

function rowsOf(table: string): readonly Row[] {
  const [, text = ''] =
    new RegExp(`<!-- ${table}: begin -->(.*)<!-- ${table}: end -->`, 's').exec(
      readRepositoryFile('docs/internals/comparison.md'),
    ) ?? [];
  const rows = text.trim().split('\n').slice(2);
  return rows.map((row) => {
    const [, name = '', old = '', ours = '', level = '', reported = '', ...more] = row
      .split('|')
      .map((cell) => cell.trim());
    if (more.join('') !== '') throw new Error(`A row has more cells than the head: ${row}`);
    return { name, old, ours, level, reported };
  });
}

/** `text` in a charset, as a media type; the text may have escapes as in JSON. */
function answerOf(cell: string): HttpAnswer {
  const match = /^(?:`(.*)`)?(?: in ([\w-]+))?(?: as ([\w/]+))?$/.exec(cell);
  if (match === null) throw new Error(`Nobody knows what this cell means: ${cell}`);
  const [, code = '', charset = 'utf-8', type = 'application/xml'] = match;
  const text = code
    .replaceAll('{xsi}', 'http://www.w3.org/2001/XMLSchema-instance')
    .replace(/\\(?:u[0-9a-f]{4}|[rnt])/g, (escape) => JSON.parse(`"${escape}"`) as string);
  return answer(encoded(text, charset), [['Content-Type', type]]);
}

/** What a report says: `changed /a, missing /a/b`; nothing of what is written otherwise. */
function reportOf({ differences }: Verdict, all = false): string {
  return differences
    .filter(({ what }) => all || what !== 'writing')
    .map(({ what, place }) => `${what} \`${place}\``)
    .sort()
    .join(', ');
}

function sorted(reported: string): string {
  return reported.split(', ').sort().join(', ');
}

describe('the table of bodies', () => {
  const rows = rowsOf('bodies');

  it('is read', () => {
    expect(rows.length).toBeGreaterThan(50);
  });

  it.each(rows)('$name: $level', ({ old, ours, level, reported }) => {
    const verdict = compareAnswers(answerOf(old), answerOf(ours));
    expect({ level: verdict.level, reported: reportOf(verdict) }).toEqual({
      level,
      reported: sorted(reported),
    });
    expect(compareAnswers(answerOf(ours), answerOf(old)).level).toBe(level);
    expect(compareAnswers(answerOf(old), answerOf(old)).level).toBe('bytes');
  });
});

describe('the table of headers', () => {
  const rows = rowsOf('headers');

  it('is read', () => {
    expect(rows.length).toBeGreaterThan(15);
  });

  it.each(rows)('$name: $level', ({ name, old, ours, level, reported }) => {
    const withHeader = (cell: string): HttpAnswer => {
      const headers: readonly Header[] = cell === '' ? [] : [[name.split(':')[0] ?? '', cell.slice(1, -1)]];
      return answer('', headers);
    };
    const verdict = compareAnswers(withHeader(old), withHeader(ours));
    expect({ level: verdict.level, reported: reportOf(verdict, true) }).toEqual({ level, reported });
    expect(compareAnswers(withHeader(ours), withHeader(old)).level).toBe(level);
  });

  it('is complete with the names in the sentence above it', () => {
    const [, sentence = ''] =
      /^(The status counts.*?)^<!-- headers/ms.exec(readRepositoryFile('docs/internals/comparison.md')) ?? [];
    const names = [...sentence.matchAll(/\b[A-Z][a-z]+(?:-[A-Z][a-z]+)*(?=[,.]| and\b)|Access-Control/g)].map(
      ([name]) => name,
    );
    expect(names).toHaveLength(6);
    const control = ['Allow-Origin', 'Allow-Credentials', 'Allow-Headers', 'Allow-Methods', 'Expose-Headers'];
    const all = [
      ...names.filter((name) => name !== 'Access-Control'),
      ...control.map((end) => `Access-Control-${end}`),
    ];
    for (const name of all) {
      const { differences } = compareAnswers(answer('', []), answer('', [[name, 'a']]));
      expect(differences).toMatchObject([{ part: 'header', place: name.toLowerCase(), what: 'added' }]);
    }
  });
});
