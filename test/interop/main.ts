import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BINDING_TITLES, runCommand } from '../../scripts/harness';
import { Command, Option } from 'commander';

import type { Client } from './client';
import { dotnet } from './clients/dotnet';
import { handWritten } from './clients/hand-written';
import { monoSvcutil } from './clients/mono-svcutil';
import { monoWsdl } from './clients/mono-wsdl';
import { php, zeep } from './clients/interpreted';
import { nodeSoap, nodeSoapInOwnNamespace } from './clients/node-soap';
import { wsimport } from './clients/wsimport';
import { CREDENTIALS } from './credentials';
import { DESCRIPTIONS, examineDescriptions } from './descriptions/published-descriptions';
import { FAULTS, type PreparedClient, tryFaults } from './faults';
import { documentedOtherwise, type Tables, writeTables } from './documented-tables';
import { Report } from './report';
import { LINES, tryLines } from './lines';
import { missingFor } from './missing';
import { type ProxyMode, loadSchools } from './school';
import { tryClient } from './try-client';
import { tryTypes, TYPES } from './types/try-types';

const CLIENTS: readonly Client[] = [
  monoWsdl,
  monoSvcutil,
  ...dotnet,
  wsimport,
  nodeSoap,
  nodeSoapInOwnNamespace,
  php,
  zeep,
  ...handWritten,
];

/** Of the table of stacks. */
const ROWS = [...new Set(CLIENTS.map(({ manner }) => manner))].flatMap((manner) =>
  Object.values(BINDING_TITLES).map((title) => (manner === undefined ? title : `${title}, ${manner}`)),
);

const command = new Command('test:interop')
  .description(
    'Calls a started service with clients that nobody here wrote. STRICT=1: what cannot be tried, for want of a ' +
      'tool, has failed.',
  )
  .argument('[name]', 'only clients whose name has this in it', '')
  .addOption(
    new Option('--reverse-proxy <mode>', 'through a reverse proxy, by who answers').choices([
      'old',
      'shadow',
      'new',
    ]),
  )
  .addOption(
    new Option('--write', 'put the tables of the run into docs/integrate-a-client.md').conflicts(
      'reverseProxy',
    ),
  )
  .action(tryClients);

interface Choices {
  readonly reverseProxy?: ProxyMode;
  readonly write?: boolean;
}

async function tryClients(only: string, { reverseProxy, write }: Choices): Promise<void> {
  const report = new Report((text) => process.stdout.write(text));
  const chosen = CLIENTS.filter(({ name }) => name.includes(only));
  const isWhole = chosen.length === CLIENTS.length && reverseProxy === undefined;
  if (write === true && !isWhole) throw new Error('--write needs all clients');
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  let faults = '';
  // The first service fills it; the hundreds after it start in a third of the processor time.
  process.env['CHILD_COMPILE_CACHE'] ??= join(folder, 'compile-cache');
  try {
    const workplace = { folder, schools: await loadSchools(folder), reverseProxy };
    const prepared: PreparedClient[] = [];
    for (const client of chosen) {
      const made = await tryClient(client, workplace, report);
      if (made === undefined) continue;
      prepared.push({ client, made });
      if (reverseProxy === undefined) await tryTypes(client, folder, report);
    }
    if (reverseProxy === undefined) {
      faults = await tryFaults(prepared, workplace, report);
      await tryLines(chosen, workplace, report);
    }
    if (DESCRIPTIONS.includes(only) && reverseProxy === undefined)
      await examineDescriptions(workplace, report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const titles = await titlesOf(chosen);
  const byHand = chosen.filter(({ stack }) => stack === undefined).map(({ name }) => name);
  const columns = [...ROWS, CREDENTIALS, FAULTS, LINES, TYPES];
  const details = [
    report.sideBySide(columns, titles),
    report.matrix(Object.values(BINDING_TITLES), byHand),
    faults,
    report.matrix([DESCRIPTIONS]),
  ];
  const tables = { clients: report.summary(columns, titles, byHand) };
  if (write === true) writeTables(tables);
  else if (isWhole && isStrict()) compareWithDocument(tables, report);
  console.log(['', ...details, ...Object.values(tables), report.totals()].join('\n'));
  process.exitCode = report.hasFailed(isStrict()) ? 1 : 0;
}

/** The heads of the columns, by the names of the stacks; a stack that is not there has no version. */
async function titlesOf(clients: readonly Client[]): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  for (const client of clients) {
    const { stack } = client;
    if (stack === undefined || titles.has(stack.name)) continue;
    const isThere = (await missingFor(client)).length === 0;
    titles.set(stack.name, isThere ? await stack.title() : stack.name);
  }
  return titles;
}

function compareWithDocument(tables: Tables, report: Report): void {
  const reason = documentedOtherwise(tables);
  const verdict = reason === undefined ? 'passed' : 'failed';
  const what = 'shows what this run found; npm run test:interop -- --write makes it so';
  report.add({ client: 'docs/integrate-a-client.md', column: 'tables', what, verdict, reason });
}

function isStrict(): boolean {
  return process.env['STRICT'] === '1';
}

runCommand(command);
