import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { BINDING_TITLES } from '../../../scripts/harness';
import { startReference } from '../../reference/service';
import { type Client, placeOf } from '../client';
import type { Report } from '../report';
import { dotnetTypes } from './dotnet';
import { monoTypes } from './mono';
import { nodeSoapTypes } from './node-soap';
import type { TypesCaller } from './type-check';
import { wsimportTypes } from './wsimport';
import { zeepTypes } from './zeep';

/** Row of the table that these checks stand in. */
export const TYPES = 'values of all types';

/** By the names of clients; the others of a stack differ in nothing that types are written and read by. */
const CALLERS: ReadonlyMap<string, TypesCaller> = new Map([
  ['Mono wsdl', monoTypes],
  ['.NET, WCF, XmlSerializer', dotnetTypes],
  ['wsimport (JAX-WS RI)', wsimportTypes],
  ['node-soap', nodeSoapTypes],
  ['zeep (Python)', zeepTypes],
]);

/** Sends values of all types through a client's proxies to the operations of Types.asmx, which give them back. */
export async function tryTypes(client: Client, parent: string, report: Report): Promise<void> {
  const caller = CALLERS.get(client.name);
  if (caller === undefined) return;
  const service = await startReference();
  const address = `http://127.0.0.1:${String(service.port)}/Types.asmx`;
  const folder = mkdtempSync(join(parent, 'types-'));
  try {
    await caller.prepare?.(address, folder);
    for (const binding of ['soap11', 'soap12'] as const) {
      const place = { ...placeOf(client, binding), column: TYPES };
      for (const { what, failure } of await caller.check(address, binding, folder)) {
        const verdict = failure === undefined ? 'passed' : 'failed';
        report.add({ ...place, what: `${BINDING_TITLES[binding]}, ${what}`, verdict, reason: failure });
      }
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report.add({
      ...placeOf(client, 'soap11'),
      column: TYPES,
      what: 'its program',
      verdict: 'failed',
      reason,
    });
  } finally {
    await service.close();
  }
}
