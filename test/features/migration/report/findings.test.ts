import type { HttpRequest } from '../../../../src/features/migration/messages';
import {
  bindingName,
  findingsTogether,
  FindingsTotal,
} from '../../../../src/features/migration/report/findings';
import {
  type Difference,
  type Verdict,
  makeVerdict,
} from '../../../../src/features/migration/verdict/verdict';

const REQUEST: HttpRequest = {
  method: 'GET',
  target: '/PushNotificationMobile.asmx/GetTokenDevice?id=DEV-1',
  headers: [],
  body: Buffer.alloc(0),
};
const EQUAL: Verdict = { level: 'bytes', differences: [] };

function changed(place: string, extra: Partial<Difference> = {}): Difference {
  return { part: 'body', place, what: 'changed', level: 'different', old: 'x', ours: '9', ...extra };
}

function total(): FindingsTotal {
  return new FindingsTotal('http://new.example');
}

describe('the comparison results', () => {
  it('are counted by operation, binding and level', () => {
    const sum = total();
    const get = { request: REQUEST, operation: 'GetTokenDevice', binding: 'GET' };
    sum.add({ ...get, verdict: EQUAL });
    sum.add({ ...get, verdict: EQUAL });
    sum.add({ ...get, verdict: makeVerdict([changed('/string')]) });
    sum.add({
      ...get,
      binding: 'SOAP 1.1',
      verdict: makeVerdict([changed('/', { what: 'writing', level: 'xml' })]),
    });
    sum.add({
      request: REQUEST,
      verdict: makeVerdict([changed('/list', { what: 'order', level: 'order' })]),
    });
    expect(sum.findings()).toMatchObject({ pairs: 5, failed: 2 });
    expect(sum.findings().counts).toEqual([
      { operation: '', binding: '', pairs: 1, failed: 1, bytes: 0, xml: 0, order: 1, different: 0 },
      {
        operation: 'GetTokenDevice',
        binding: 'GET',
        pairs: 3,
        failed: 1,
        bytes: 2,
        xml: 0,
        order: 0,
        different: 1,
      },
      {
        operation: 'GetTokenDevice',
        binding: 'SOAP 1.1',
        pairs: 1,
        failed: 0,
        bytes: 0,
        xml: 1,
        order: 0,
        different: 0,
      },
    ]);
  });

  it('are grouped by place, with the first example', () => {
    const sum = total();
    const finding = { request: REQUEST, operation: 'GetTokenDevice', binding: 'GET' };
    sum.add({ ...finding, source: 'a.jsonl:1', verdict: makeVerdict([changed('/string')]) });
    sum.add({
      ...finding,
      source: 'a.jsonl:2',
      verdict: makeVerdict([changed('/string'), changed('/other')]),
    });
    const [first, second] = sum.findings().groups;
    expect(first).toEqual({
      operation: 'GetTokenDevice',
      binding: 'GET',
      ...changed('/string'),
      count: 2,
      example: {
        curl: "curl -i 'http://new.example/PushNotificationMobile.asmx/GetTokenDevice?id=XXX-9'",
        source: 'a.jsonl:1',
      },
    });
    expect(second).toMatchObject({ place: '/other', count: 1 });
  });

  it('list failures before known differences', () => {
    const sum = total();
    const known = changed('/a', { known: 'on purpose' });
    for (let at = 0; at < 3; at += 1) sum.add({ request: REQUEST, verdict: makeVerdict([known]) });
    sum.add({ request: REQUEST, verdict: makeVerdict([changed('/b')]) });
    expect(sum.findings().groups.map(({ place }) => place)).toEqual(['/b', '/a']);
    expect(sum.findings()).toMatchObject({ pairs: 4, failed: 1 });
  });

  it('keep known and unknown differences at one place separate, the most frequent first', () => {
    const sum = total();
    for (const known of ['for another reason', 'on purpose', undefined, 'on purpose'])
      sum.add({
        request: REQUEST,
        verdict: makeVerdict([changed('/a', known === undefined ? {} : { known })]),
      });
    const groups = sum.findings().groups.map(({ known, count }) => [known, count]);
    expect(groups).toEqual([
      [undefined, 1],
      ['on purpose', 2],
      ['for another reason', 1],
    ]);
  });

  it('use limited memory, and count what is left out', () => {
    const sum = total();
    for (let at = 0; at < 1500; at += 1) {
      sum.add({
        request: REQUEST,
        operation: `Op${String(at)}`,
        verdict: makeVerdict([changed(`/${String(at)}`)]),
      });
    }
    const { pairs, failed, counts, groups, others } = sum.findings();
    expect({ pairs, failed, groups: groups.length, others }).toEqual({
      pairs: 1500,
      failed: 1500,
      groups: 1000,
      others: 500,
    });
    expect(counts).toHaveLength(201);
  });

  it('of several runs are added up, with the example of the first', () => {
    const [first, second] = [total(), total()];
    const get = { request: REQUEST, operation: 'GetTokenDevice', binding: 'GET' };
    first.add({ ...get, source: 'a:1', verdict: makeVerdict([changed('/string')]) });
    second.add({ ...get, source: 'b:1', verdict: makeVerdict([changed('/string')]) });
    second.add({ ...get, verdict: EQUAL });
    const both = findingsTogether([
      first.findings(),
      { ...second.findings(), others: 2 },
      { ...second.findings(), others: 1 },
    ]);
    expect(both).toMatchObject({
      ...{ pairs: 5, failed: 3, others: 3 },
      counts: [
        { ...{ operation: 'GetTokenDevice', binding: 'GET' }, pairs: 5, failed: 3, bytes: 2, different: 3 },
      ],
      groups: [{ place: '/string', count: 3, example: { source: 'a:1' } }],
    });
  });

  it.each([
    ['soap11', 'SOAP 1.1'],
    ['soap12', 'SOAP 1.2'],
    ['get', 'GET'],
    ['post', 'POST'],
    ['document', 'page'],
    ['description', 'description'],
  ])('name the binding %s %s', (binding, name) => {
    expect(bindingName(binding)).toBe(name);
  });
});
