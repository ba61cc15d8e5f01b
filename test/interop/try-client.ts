import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { type DescribedOperation, OPERATIONS } from '../harness/contract-operations';
import { type Client, type ClientBinding, placeOf } from './client';
import { tryCredentials } from './credentials';
import type { Report } from './report';
import { missingFor } from './missing';
import { scenariosOf } from './scenarios';
import { withProxy, type Workplace } from './school';
import { type Connection, tryScenario } from './try-scenario';

/**
 * Has a client make what it needs from the descriptions.
 *
 * @returns the folder where it left that; undefined where that was not possible
 */
export async function prepareClient(
  client: Client,
  workplace: Workplace,
  report: Report,
): Promise<string | undefined> {
  const missing = await missingFor(client);
  if (missing.length > 0) {
    addToAll(client, report, 'skipped', `needs ${missing.join(', ')} (docs/integrate-a-client.md)`);
    return undefined;
  }
  const made = mkdtempSync(join(workplace.folder, 'client-'));
  try {
    const { prepare, settings = {} } = client;
    if (prepare !== undefined) await withProxy(workplace, settings, ({ address }) => prepare(address, made));
    return made;
  } catch (error) {
    addToAll(client, report, 'failed', messageOf(error));
    return undefined;
  }
}

/**
 * Tries all operations over every binding of a client; each binding gets a service of its own, all at once.
 *
 * @param made - the folder where its preparation left what it made
 */
export async function tryClient(
  client: Client,
  made: string,
  workplace: Workplace,
  report: Report,
): Promise<void> {
  const { settings = {} } = client;
  const { reverseProxy: mode } = workplace;
  const through = mode === undefined ? '' : `, through a proxy in mode ${mode}`;
  // An old server lets in by its own rules.
  if (client.hasCredentials === true && mode === undefined)
    await tryCredentials(client, made, workplace, report);
  await Promise.all(
    client.bindings.map(async (binding) => {
      const add = (what: string, reason: string | undefined): void => {
        const verdict = reason === undefined ? 'passed' : 'failed';
        report.add({ ...placeOf(client, binding.name), what: what + through, verdict, reason });
      };
      try {
        await withProxy(workplace, settings, async (service) => {
          const caller = await binding.open(service.address, made);
          for (const operation of operationsOver(binding)) {
            add(operation.name, await firstFailure(operation, { binding, caller, service }));
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
  for (const binding of client.bindings) {
    for (const { name } of operationsOver(binding)) {
      report.add({ ...placeOf(client, binding.name), what: name, verdict, reason });
    }
  }
}

function operationsOver({ name }: ClientBinding): readonly DescribedOperation[] {
  return OPERATIONS.filter(({ bindings }) => bindings.has(name));
}

async function firstFailure(
  operation: DescribedOperation,
  connection: Connection,
): Promise<string | undefined> {
  for (const scenario of scenariosOf(operation, connection.binding.name)) {
    try {
      const reason = await tryScenario(scenario, operation, connection);
      if (reason !== undefined) return `${scenario.title}: ${reason}`;
    } catch (error) {
      return `${scenario.title}: ${messageOf(error)}`;
    }
  }
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
