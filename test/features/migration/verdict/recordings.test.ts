import { exchange } from '../../../../scripts/harness';
import type { HttpAnswer } from '../../../../src/features/migration/messages';
import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { fails } from '../../../../src/features/migration/verdict/verdict';
import { DEVIATIONS } from '../../../conformance/deviations';
import { readCases, type RecordedCase, recordedAnswer } from '../../../conformance/recorded-case';
import { startReference } from '../../../reference/service';
import type { AsmxServer } from '../../../harness/asmx-server';
import { Random } from '../../../harness/random';
import { startMutatingProxy, type MutatingProxy } from './mutating-proxy';
import { MUTATORS, type Mutation } from './mutators';
import { answerOver, HOST, judgedRequest, wireRequest } from './wire';

const CASES = readCases();

let old: AsmxServer;
let ours: AsmxServer;
let proxy: MutatingProxy;

beforeAll(async () => {
  [old, ours] = await Promise.all([startReference(), startReference()]);
  proxy = await startMutatingProxy(ours.port);
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([old.close(), ours.close()]);
});

async function ask(port: number, recordedCase: RecordedCase): Promise<HttpAnswer> {
  return answerOver(await exchange(port, wireRequest(recordedCase)));
}

describe('the recorded requests', () => {
  it('get identical bytes from two references', async () => {
    const seen: Record<string, string> = {};
    for (const recordedCase of CASES) {
      const request = judgedRequest(wireRequest(recordedCase));
      const verdict = compareAnswers(await ask(old.port, recordedCase), await ask(ours.port, recordedCase), {
        request,
      });
      if (verdict.level !== 'bytes') seen[recordedCase.name] = verdict.level;
    }
    expect(seen).toEqual({});
    expect(CASES).toHaveLength(292);
  });

  it('get the answers of .NET, except for intended differences', async () => {
    const failing: string[] = [];
    const known: string[] = [];
    for (const recordedCase of CASES) {
      const request = judgedRequest(wireRequest(recordedCase));
      const answer = await ask(ours.port, recordedCase);
      const verdict = compareAnswers(recorded(recordedCase, answer), answer, { request });
      if (fails(verdict)) failing.push(`${recordedCase.name}: ${JSON.stringify(verdict)}`);
      if (verdict.differences.some((difference) => difference.known !== undefined))
        known.push(recordedCase.name);
      else if (verdict.level !== 'bytes') expect(verdict.level).toBe('xml');
    }
    expect(failing).toEqual([]);
    // Of the order of namespaces a client sees nothing.
    const expected = CASES.filter(({ name }) =>
      DEVIATIONS.some(({ cases }) => cases.test(name) && !cases.test('meta-wsdl-')),
    );
    expect(known).toEqual(expect.arrayContaining(expected.map(({ name }) => name)));
  });

  it('through a proxy that changes one thing show each change at its level', async () => {
    const random = new Random(19);
    const wrong: unknown[] = [];
    const tried = new Set<string>();
    for (const [name, mutator] of Object.entries(MUTATORS)) {
      // Not every answer has something to change.
      const start = random.below(CASES.length);
      for (const recordedCase of [...CASES.slice(start), ...CASES.slice(0, start)]) {
        let mutation: Mutation | undefined;
        proxy.mutate = (answer) => {
          mutation = mutator(answer, random);
          return mutation?.answer ?? answer;
        };
        if (mutator(recorded(recordedCase, await ask(old.port, recordedCase)), random) === undefined)
          continue;
        const { level } = compareAnswers(
          await ask(old.port, recordedCase),
          await ask(proxy.port, recordedCase),
        );
        if (mutation === undefined) continue;
        tried.add(name);
        if (level !== mutation.level)
          wrong.push({ name, case: recordedCase.name, level, expected: mutation.level });
        break;
      }
    }
    expect(wrong).toEqual([]);
    expect([...tried]).toEqual(Object.keys(MUTATORS));
  });
});

/** Returns what was recorded. Of a page of the recording host only its status and its media type are known. */
function recorded(recordedCase: RecordedCase, answer: HttpAnswer): HttpAnswer {
  const { status, contentType, cacheControl, body } = recordedAnswer(recordedCase, HOST);
  if (body === null) {
    const rest = answer.headers.filter(([name]) => name !== 'Content-Type');
    const ownType = answer.headers.find(([name]) => name === 'Content-Type')?.[1] ?? '';
    const type = ownType.startsWith(`${contentType ?? ''};`) ? ownType : (contentType ?? '');
    return {
      status,
      headers: [['Content-Type', type], ...rest],
      body: Buffer.from('<html>The recording host'),
    };
  }
  const headers = Object.entries({ 'Content-Type': contentType, 'Cache-Control': cacheControl });
  return {
    status,
    body,
    headers: headers.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  };
}
