import type { Header, HttpAnswer } from '../../../../src/features/migration/messages';
import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import type { Verdict } from '../../../../src/features/migration/verdict/verdict';
import { encoded } from './encoded';
import { answer } from './answers';
import { BODIES, HEADERS } from './documented-rows';

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

/** Returns what a report says: `changed /a, missing /a/b`; nothing of what is written otherwise. */
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

describe('the comparison of bodies', () => {
  it.each(BODIES)('$name: $level', ({ old, ours, level, reported }) => {
    const verdict = compareAnswers(answerOf(old), answerOf(ours));
    expect({ level: verdict.level, reported: reportOf(verdict) }).toEqual({
      level,
      reported: sorted(reported),
    });
    expect(compareAnswers(answerOf(ours), answerOf(old)).level).toBe(level);
    expect(compareAnswers(answerOf(old), answerOf(old)).level).toBe('bytes');
  });
});

describe('the comparison of headers', () => {
  it.each(HEADERS)('$name: $level', ({ name, old, ours, level, reported }) => {
    const withHeader = (cell: string): HttpAnswer => {
      const headers: readonly Header[] = cell === '' ? [] : [[name.split(':')[0] ?? '', cell.slice(1, -1)]];
      return answer('', headers);
    };
    const verdict = compareAnswers(withHeader(old), withHeader(ours));
    expect({ level: verdict.level, reported: reportOf(verdict, true) }).toEqual({ level, reported });
    expect(compareAnswers(withHeader(ours), withHeader(old)).level).toBe(level);
  });

  it.each([
    ...['Content-Language', 'Content-Disposition', 'Expires', 'Pragma', 'Retry-After'],
    ...['Allow-Origin', 'Allow-Credentials', 'Allow-Headers', 'Allow-Methods', 'Expose-Headers'].map(
      (end) => `Access-Control-${end}`,
    ),
  ])('reports an added %s', (name) => {
    const { differences } = compareAnswers(answer('', []), answer('', [[name, 'a']]));
    expect(differences).toMatchObject([{ part: 'header', place: name.toLowerCase(), what: 'added' }]);
  });
});
