import type { HttpAnswer } from '../../../../src/features/migration/messages';
import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { fails, type Verdict, withoutNoise } from '../../../../src/features/migration/verdict/verdict';
import { answer } from './answers';

/** The verdict of two answers of the old server and one of ours. */
function judge(first: HttpAnswer | string, second: HttpAnswer | string, ours: HttpAnswer | string): Verdict {
  const [one, other, own] = [first, second, ours].map((each) =>
    typeof each === 'string' ? answer(each) : each,
  ) as [HttpAnswer, HttpAnswer, HttpAnswer];
  return withoutNoise(compareAnswers(one, own), compareAnswers(one, other));
}

function found({ differences }: Verdict): readonly string[] {
  return differences.map(({ what, place }) => `${what} ${place}`);
}

describe('a difference between two answers of the old server', () => {
  it('is ignored: a value', () => {
    const verdict = judge(
      '<a><time>10:01</time></a>',
      '<a><time>10:02</time></a>',
      '<a><time>10:03</time></a>',
    );
    expect(verdict).toEqual({ level: 'xml', differences: [] });
  });

  it('is ignored in any item of a list', () => {
    const item = (id: string) => `<i><id>${id}</id><name>A</name></i>`;
    const [first, second, ours] = ['1', '2', '3'].map((n) => `<l>${item(`a${n}`)}${item(`b${n}`)}</l>`) as [
      string,
      string,
      string,
    ];
    expect(judge(first, second, ours)).toEqual({ level: 'xml', differences: [] });
  });

  it('is ignored: order, length of a list, a page, a header', () => {
    expect(judge('<l><a/><b/></l>', '<l><b/><a/></l>', '<l><b/><a/></l>').differences).toEqual([]);
    expect(judge('<l><a/></l>', '<l/>', '<l><a/><a/></l>').differences).toEqual([]);
    const page = (text: string) => answer(text, [['Content-Type', 'text/html']]);
    expect(judge(page('1'), page('2'), page('3')).differences).toEqual([]);
    const moved = (to: string) => answer('', [['Location', to]], 302);
    expect(judge(moved('/1'), moved('/2'), moved('/3'))).toEqual({ level: 'bytes', differences: [] });
  });

  it('does not hide differences elsewhere', () => {
    const verdict = judge(
      '<a><time>10:01</time><name>A</name></a>',
      '<a><time>10:02</time><name>A</name></a>',
      '<a><time>10:03</time><name>B</name></a>',
    );
    expect(verdict).toMatchObject({ level: 'different' });
    expect(found(verdict)).toEqual(['changed /a/name']);
  });

  it('does not hide a missing value, an attribute, or another status', () => {
    expect(found(judge('<a><t>1</t></a>', '<a><t>2</t></a>', '<a/>'))).toEqual(['missing /a/t']);
    expect(found(judge('<a><t>1</t></a>', '<a><t>2</t></a>', '<a><t x="1">3</t></a>'))).toEqual([
      'added /a/t/@x',
    ]);
    const failed = answer('<a><t>3</t></a>', undefined, 500);
    expect(found(judge('<a><t>1</t></a>', '<a><t>2</t></a>', failed))).toEqual(['changed status']);
  });

  it('does not hide that there are more differences than listed', () => {
    const many = (name: string) =>
      `<l>${Array.from({ length: 200 }, (_, at) => `<${name}${String(at)}/>`).join('')}</l>`;
    const verdict = judge(many('a'), many('b'), many('c'));
    expect(found(verdict)).toContain('more /');
    expect(fails(verdict)).toBe(true);
  });

  it('leaves a verdict without noise unchanged', () => {
    const verdict = compareAnswers(answer('<a>1</a>'), answer('<a>2</a>'));
    expect(withoutNoise(verdict, compareAnswers(answer('<a>1</a>'), answer('<a>1</a>')))).toEqual(verdict);
  });
});
