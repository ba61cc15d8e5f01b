import { localClock } from '../../src/asmx/internal';
import { exchange } from '../../scripts/harness';
import { startReference } from '../reference/service';
import type { AsmxServer } from '../harness/asmx-server';
import { answerOf, readCases, recordedAnswer, requestOf } from './recorded-case';

/** When and where the exchanges were recorded. */
const RECORDED_AT = Date.parse('2026-11-22T12:00:00Z');
const CLOCK = localClock('Europe/Istanbul', () => RECORDED_AT);

const CASES = readCases('types');

let service: AsmxServer;
beforeAll(async () => {
  service = await startReference({ clock: CLOCK });
});
afterAll(() => service.close());

it('has every recorded exchange', () => {
  expect(CASES).toHaveLength(311);
});

it.each(CASES)('answers as recorded: $name', async (recordedCase) => {
  const recorded = recordedAnswer(recordedCase, `127.0.0.1:${String(service.port)}`);
  const answer = answerOf(recordedCase, await exchange(service.port, requestOf(recordedCase)));
  const readable = (body: Buffer | null): string | undefined => body?.toString('latin1');
  expect({ ...answer, body: readable(answer.body) }).toEqual({ ...recorded, body: readable(recorded.body) });
});
