import { compareAnswers } from '../../../src/moving/verdict';
import { answer } from './answers';

describe('two answers to one request', () => {
  it('are equal to the byte, whatever the headers that do not matter say', () => {
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

  it('are equal but for order', () => {
    const verdict = compareAnswers(
      answer('<list><item><id>1</id></item><item><id>2</id></item></list>'),
      answer('<list><item><id>2</id></item><item><id>1</id></item></list>'),
    );
    expect(verdict).toEqual({
      level: 'order',
      differences: [{ part: 'body', place: '/list', what: 'order', level: 'order' }],
    });
  });

  it('differ in a value, which is masked', () => {
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

  it('differ in status and in headers', () => {
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
});
