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
import { prepareClient, tryClient } from './try-client';
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

/** Lists the rows of the table of stacks. */
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
    new Option('--reverse-proxy <mode...>', 'through reverse proxies, by who answers; none: without one')
      .choices(['none', 'old', 'shadow', 'new'])
      .default(['none']),
  )
  .option('--behind <name>', 'only clients whose name has this in it go through the proxies', '')
  .option('--write', 'put the tables of the run into docs/integrate-a-client.md')
  .action(tryClients);

interface Choices {
  readonly reverseProxy: readonly ('none' | ProxyMode)[];
  readonly behind: string;
  readonly write?: boolean;
}

async function tryClients(only: string, { reverseProxy: modes, behind, write }: Choices): Promise<void> {
  const report = new Report((text) => process.stdout.write(text));
  const behindProxies = new Report((text) => process.stdout.write(text));
  const chosen = CLIENTS.filter(({ name }) => name.includes(only));
  const isDirect = modes.includes('none');
  const isWhole = chosen.length === CLIENTS.length && isDirect;
  if (write === true && !isWhole) throw new Error('--write needs all clients, and none of the proxies');
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  let faults = '';
  try {
    const workplace = { folder, schools: await loadSchools(folder) };
    const prepared: PreparedClient[] = [];
    for (const client of chosen) {
      const made = await prepareClient(client, workplace, isDirect ? report : behindProxies);
      if (made === undefined) continue;
      for (const mode of modes) {
        if (mode === 'none') await tryClient(client, made, workplace, report);
        else if (client.name.includes(behind))
          await tryClient(client, made, { ...workplace, reverseProxy: mode }, behindProxies);
      }
      if (!isDirect) continue;
      prepared.push({ client, made });
      await tryTypes(client, folder, report);
    }
    if (isDirect) {
      faults = await tryFaults(prepared, workplace, report);
      await tryLines(chosen, workplace, report);
      if (DESCRIPTIONS.includes(only)) await examineDescriptions(workplace, report);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const titles = await titlesOf(chosen);
  const byHand = chosen.filter(({ stack }) => stack === undefined).map(({ name }) => name);
  const bindings = Object.values(BINDING_TITLES);
  const columns = [...ROWS, CREDENTIALS, FAULTS, LINES, TYPES];
  if (modes.some((mode) => mode !== 'none')) {
    const found = [behindProxies.sideBySide(ROWS, titles), behindProxies.matrix(bindings, byHand)];
    console.log(['', ...found, `Behind proxies: ${behindProxies.totals()}`].join('\n'));
    if (behindProxies.hasFailed(isStrict())) process.exitCode = 1;
  }
  if (!isDirect) return;
  const details = [
    report.sideBySide(columns, titles),
    report.matrix(bindings, byHand),
    faults,
    report.matrix([DESCRIPTIONS]),
  ];
  const tables = { clients: report.summary(columns, titles, byHand) };
  if (write === true) writeTables(tables);
  else if (isWhole && isStrict()) compareWithDocument(tables, report);
  console.log(['', ...details, ...Object.values(tables), report.totals()].join('\n'));
  if (report.hasFailed(isStrict())) process.exitCode = 1;
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
