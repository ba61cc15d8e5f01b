import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { databaseIn, storedMessages } from '../service/stored-messages';
import type { Caller, Client, ClientBinding } from './client';
import { type BindingName, OPERATION_NAMES, type OperationName } from './operations';
import { difference, type Outcome } from './outcome';
import type { Report } from './report';
import { findCommand } from './run-command';
import { type Scenario, SCENARIOS } from './scenarios';
import { type StartedService, withService } from './school';
import { within } from './within';

const CALL_TIMEOUT_MS = 30_000;
const LOG_TIMEOUT_MS = 10_000;

/** The names of the bindings in the service's log. */
const LOGGED_BINDINGS: Readonly<Record<BindingName, string>> = {
  'SOAP 1.1': 'soap11',
  'SOAP 1.2': 'soap12',
  'HTTP GET': 'get',
  'HTTP POST': 'post',
};

export interface Workplace {
  /** Folder for everything the run makes. */
  readonly folder: string;
  /** Data folder that every service gets a copy of. */
  readonly schools: string;
}

/** Tries all operations over every binding of a client; each binding gets a service of its own, all at once. */
export async function tryClient(
  client: Client,
  { folder, schools }: Workplace,
  report: Report,
): Promise<void> {
  const missing = client.tools.filter((tool) => findCommand(tool) === undefined);
  if (missing.length > 0) {
    addToAll(client, report, 'skipped', `needs ${missing.join(', ')} (scripts/install-interop-tools.sh)`);
    return;
  }
  const settings = client.settings ?? {};
  const made = mkdtempSync(join(folder, 'client-'));
  try {
    await withService(folder, schools, settings, async ({ address }) => {
      await client.prepare?.(address, made);
    });
  } catch (error) {
    addToAll(client, report, 'failed', messageOf(error));
    return;
  }
  await Promise.all(
    client.bindings.map(async (binding) => {
      const add = (what: string, reason: string | undefined): void => {
        const verdict = reason === undefined ? 'passed' : 'failed';
        report.add({ client: client.name, column: binding.name, what, verdict, reason });
      };
      try {
        await withService(folder, schools, settings, async (service) => {
          const caller = await binding.open(service.address, made);
          for (const operation of OPERATION_NAMES) {
            add(operation, await firstFailure(operation, caller, binding, service));
          }
          await caller.close();
        });
      } catch (error) {
        add('the client and the service', messageOf(error));
      }
    }),
  );
}

function addToAll(client: Client, report: Report, verdict: 'failed' | 'skipped', reason: string): void {
  for (const { name } of client.bindings) {
    for (const what of OPERATION_NAMES)
      report.add({ client: client.name, column: name, what, verdict, reason });
  }
}

async function firstFailure(
  operation: OperationName,
  caller: Caller,
  binding: ClientBinding,
  service: StartedService,
): Promise<string | undefined> {
  for (const scenario of SCENARIOS) {
    if (scenario.operation !== operation || scenario.bindings?.includes(binding.name) === false) continue;
    try {
      const call = caller.call(operation, scenario.args);
      const outcome = await within(CALL_TIMEOUT_MS, 'answer', call);
      const reason =
        difference(expectedOutcome(scenario, binding), outcome) ??
        (await missingTrace(scenario, binding, service));
      if (reason !== undefined) return `${scenario.title}: ${reason}`;
    } catch (error) {
      return `${scenario.title}: ${messageOf(error)}`;
    }
  }
  return undefined;
}

function expectedOutcome({ expected }: Scenario, binding: ClientBinding): Outcome {
  if (expected.kind !== 'refused') return expected;
  const { reason, reasonOfEmpty = reason } = expected;
  return binding.fault(binding.leavesOut ? reason : reasonOfEmpty);
}

/** What the service should have logged or stored for a call but has not, or undefined. */
async function missingTrace(
  { operation, trace }: Scenario,
  binding: ClientBinding,
  { process: service, dataFolder }: StartedService,
): Promise<string | undefined> {
  if (trace?.logged !== undefined) {
    const fields = { operation, binding: LOGGED_BINDINGS[binding.name], ...trace.logged };
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
 * What is left of an SMS whose payload is erased: the values that its text has in it. The file channel has
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
