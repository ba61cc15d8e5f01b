import { startReference } from '../reference/service';
import type { AsmxServer } from '../harness/asmx-server';
import { exchange } from '../../scripts/harness';
import { DEVIATIONS } from './deviations';
import { type Answer, answerOf, readCases, recordedAnswer, requestOf } from './recorded-case';

const CASES = readCases();

let service: AsmxServer;

beforeAll(async () => {
  service = await startReference();
});

afterAll(() => service.close());

function deviationOf(name: string) {
  return DEVIATIONS.find((deviation) => deviation.cases.test(name));
}

/** Bytes as text for a readable difference; bytes that are no UTF-8 make the texts differ all the same. */
function readable(answer: Answer) {
  return { ...answer, body: answer.body?.toString('utf8'), hex: answer.body?.toString('hex') };
}

it('has every recorded exchange', () => {
  expect(CASES).toHaveLength(292);
});

it.each(DEVIATIONS)('has recorded cases of the deviation: $reason', ({ cases }) => {
  expect(CASES.some(({ name }) => cases.test(name))).toBe(true);
});

describe('answers as recorded', () => {
  it.each(CASES.filter(({ name }) => deviationOf(name) === undefined))('$name', async (recordedCase) => {
    const host = `127.0.0.1:${String(service.port)}`;
    const response = await exchange(service.port, requestOf(recordedCase));
    const recorded = recordedAnswer(recordedCase, host);
    expect(readable(answerOf(recordedCase, response))).toEqual(readable(recorded));
  });
});

describe('deviates as intended', () => {
  const deviating = CASES.flatMap((recordedCase) => {
    const deviation = deviationOf(recordedCase.name);
    return deviation === undefined ? [] : [{ ...deviation, recordedCase, name: recordedCase.name }];
  });

  it.each(deviating)('$name: $reason', async ({ recordedCase, stillHolds }) => {
    const host = `127.0.0.1:${String(service.port)}`;
    const response = await exchange(service.port, requestOf(recordedCase));
    const recorded = recordedAnswer(recordedCase, host);
    stillHolds(response, recorded);
    expect(readable(answerOf(recordedCase, response))).not.toEqual(readable(recorded));
  });
});
