import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { failedConnection, fails } from '../../../../src/features/migration/verdict/verdict';
import { answer } from './answers';

describe('two answers to one request', () => {
  it('are equal byte for byte if only ignored headers differ', () => {
    const old = answer('<a/>', [
      ['Content-Type', 'text/xml'],
      ['Date', 'Mon, 23 Nov 2026 06:00:00 GMT'],
      ['X-Powered-By', 'ASP.NET'],
    ]);
    expect(compareAnswers(old, answer('<a/>', [['content-type', 'text/xml']]))).toEqual({
      level: 'bytes',
      differences: [],
    });
  });

  it('are equal as XML', () => {
    const verdict = compareAnswers(
      answer('<a x="1" y="2"><b/></a>'),
      answer('<a y="2"  x=\'1\'>\n<b></b></a>'),
    );
    expect(verdict.level).toBe('xml');
    expect(verdict.differences).toMatchObject([{ part: 'body', place: '/', what: 'writing' }]);
  });

  it('are equal except for order', () => {
    const verdict = compareAnswers(
      answer('<list><item><id>1</id></item><item><id>2</id></item></list>'),
      answer('<list><item><id>2</id></item><item><id>1</id></item></list>'),
    );
    expect(verdict).toEqual({
      level: 'order',
      differences: [{ part: 'body', place: '/list', what: 'order', level: 'order' }],
    });
  });

  it('differ in a value, which is shown masked', () => {
    const verdict = compareAnswers(
      answer('<list><item><name>Ayse 7</name></item></list>'),
      answer('<list><item><name>Fatma 12</name></item></list>'),
    );
    expect(verdict).toEqual({
      level: 'different',
      differences: [
        {
          part: 'body',
          place: '/list/item/name',
          what: 'changed',
          level: 'different',
          old: 'Xxxx 9',
          ours: 'Xxxxx 99',
        },
      ],
    });
  });

  it('differ in status and headers', () => {
    const verdict = compareAnswers(
      answer('', [['Cache-Control', 'private']], 500),
      answer('', [['Allow', 'GET, POST']], 405),
    );
    expect(verdict).toEqual({
      level: 'different',
      differences: [
        { part: 'status', place: 'status', what: 'changed', level: 'different', old: '500', ours: '405' },
        { part: 'header', place: 'cache-control', what: 'missing', level: 'different', old: 'private' },
        { part: 'header', place: 'allow', what: 'added', level: 'different', ours: 'GET, POST' },
      ],
    });
  });

  it('show the first of several different values at one place', () => {
    const list = (one: string, other: string) => answer(`<l><i>${one}</i><i>${other}</i></l>`);
    const { differences } = compareAnswers(list('a', 'b'), list('1', '222'));
    expect(differences).toMatchObject([{ place: '/l/i', old: 'x', ours: '9' }]);
  });

  it('are read as XML without a media type if they begin like XML', () => {
    expect(compareAnswers(answer('<a/>', []), answer('<a></a>', [])).level).toBe('xml');
    expect(compareAnswers(answer('a', []), answer('a ', [])).level).toBe('different');
  });

  it('have the same cookies in any order, whatever their values', () => {
    const cookies = (...values: readonly string[]) =>
      answer(
        '',
        values.map((value) => ['Set-Cookie', value]),
      );
    const both = cookies('a=123; path=/; expires=Mon, 23 Nov 2026', 'b=2; path=/');
    expect(compareAnswers(both, cookies('b=99; path=/', 'a=8; path=/; expires=Tue, 24 Nov 2026')).level).toBe(
      'xml',
    );
    expect(compareAnswers(both, cookies('a=123; path=/; expires=Mon, 23 Nov 2026')).level).toBe('different');
    expect(
      compareAnswers(both, cookies('a=123; path=/; expires=Mon, 23 Nov 2026', 'c=2; path=/')).level,
    ).toBe('different');
  });

  it('are distinguished by content, however many parts they share', () => {
    const leaf = (at: number) => `<n>${String(at)}</n>`;
    const leaves = Array.from({ length: 130 }, (_, at) => leaf(at)).join('');
    const made = (...items: readonly number[]) =>
      answer(`<r><all>${leaves}</all><some>${items.map(leaf).join('')}</some></r>`);
    for (let at = 1; at < 10; at += 1) {
      // Whatever number a part has: those of the two read the same, put together without a mark between them.
      for (let other = 0; other < 12; other += 1) {
        const pair = compareAnswers(made(at, 10 + other), made(at * 10 + 1, other));
        expect(['order', 'different']).toContain(pair.level);
      }
    }
  });

  it('differ if one server gives none', () => {
    const verdict = failedConnection({ old: 'ECONNREFUSED' });
    expect(verdict).toEqual({
      level: 'different',
      differences: [
        { part: 'connection', place: 'old', what: 'failed', level: 'different', old: 'ECONNREFUSED' },
      ],
    });
    expect(fails(verdict)).toBe(true);
    expect(failedConnection({ old: 'a', ours: 'b' }).differences).toHaveLength(2);
  });
});
