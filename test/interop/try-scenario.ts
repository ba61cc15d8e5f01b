import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { databaseIn, storedMessages } from '../service/stored-messages';
import type { DescribedOperation } from '../harness/contract-operations';
import type { Caller, ClientBinding } from './client';
import { difference, type Outcome } from './outcome';
import type { Scenario } from './scenario';
import type { CalledService } from './school';
import { within } from './within';

const CALL_TIMEOUT_MS = 30_000;
const LOG_TIMEOUT_MS = 30_000;

/** A client that is ready to call a service over one of its bindings. */
export interface Connection {
  readonly binding: ClientBinding;
  readonly caller: Caller;
  readonly service: CalledService;
}

/**
 * Calls an operation as a scenario says.
 *
 * @returns why the outcome, or what the call left behind in the service, is not the one expected; or undefined
 * @throws Error when the call ends otherwise than with an answer or a fault
 */
export async function tryScenario(
  scenario: Scenario,
  operation: DescribedOperation,
  { binding, caller, service }: Connection,
): Promise<string | undefined> {
  const outcome = await within(CALL_TIMEOUT_MS, 'answer', caller.call(operation, scenario.args));
  return (
    difference(expectedOutcome(scenario, binding), outcome) ??
    (await missingTrace(scenario, binding, service))
  );
}

function expectedOutcome({ expected }: Scenario, binding: ClientBinding): Outcome {
  if (expected.kind !== 'refused') return expected;
  const { reason, reasonOfEmpty = reason } = expected;
  return binding.fault(binding.leavesOut ? reason : reasonOfEmpty);
}

/** Returns what the service should have logged or stored for a call but has not, or undefined. */
async function missingTrace(
  { operation, trace }: Scenario,
  binding: ClientBinding,
  { process: service, dataFolder }: CalledService,
): Promise<string | undefined> {
  if (trace?.logged !== undefined) {
    const fields = { operation, binding: binding.name, ...trace.logged };
    await within(LOG_TIMEOUT_MS, `log line ${JSON.stringify(fields)}`, service.line('request', fields));
  }
  if (trace?.stored !== undefined) {
    const { payload, ...columns } = trace.stored;
    const found = (await storedMessages(databaseIn(dataFolder))).find((message) =>
      Object.entries(columns).every(([name, value]) => message[name as keyof typeof columns] === value),
    );
    if (found === undefined) return `no stored message ${JSON.stringify(columns)}`;
    const kept = found.payload ?? sentPayload(dataFolder, found.id, payload);
    if (!isDeepStrictEqual(kept, payload)) {
      return `stored or sent ${JSON.stringify(kept)} instead of ${JSON.stringify(payload)}`;
    }
  }
  return undefined;
}

/**
 * Returns what is left of an SMS whose payload is erased: the values that its text has in it. The file channel has
 * written the text before the store erases the payload.
 */
function sentPayload(dataFolder: string, id: string, payload: Readonly<Record<string, string>>): object {
  const lines = readFileSync(join(dataFolder, 'outbox', 'sms.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  // Each line of the file is an object of the channel's.
  const sent = lines.map((line) => JSON.parse(line) as { readonly id: string; readonly text: string });
  const { text = '' } = sent.find((message) => message.id === id) ?? {};
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => text.includes(value)));
}
