import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BINDING_TITLES, runCommand } from '../../scripts/harness';
import { Command, Option } from 'commander';

import type { Client } from './client';
import { handWritten } from './clients/hand-written';
import { monoSvcutil } from './clients/mono-svcutil';
import { monoWsdl } from './clients/mono-wsdl';
import { nodeSoap, nodeSoapInOwnNamespace } from './clients/node-soap';
import { wsimport } from './clients/wsimport';
import { CREDENTIALS } from './credentials';
import { DESCRIPTIONS, examineDescriptions } from './descriptions/published-descriptions';
import { Report } from './report';
import { type DoorMode, loadSchools } from './school';
import { tryClient } from './try-client';

const CLIENTS: readonly Client[] = [
  monoWsdl,
  monoSvcutil,
  wsimport,
  nodeSoap,
  nodeSoapInOwnNamespace,
  ...handWritten,
];

const command = new Command('test:interop')
  .description(
    'Calls a started service with clients that nobody here wrote. STRICT=1: what cannot be tried, for want of a ' +
      'tool, has failed.',
  )
  .argument('[name]', 'only clients whose name has this in it', '')
  .addOption(
    new Option('--front-door <mode>', 'through a front door, by who answers').choices([
      'old',
      'shadow',
      'new',
    ]),
  )
  .action(tryClients);

async function tryClients(only: string, { frontDoor }: { readonly frontDoor?: DoorMode }): Promise<void> {
  const report = new Report((text) => process.stdout.write(text));
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  try {
    const workplace = { folder, schools: await loadSchools(folder), frontDoor };
    const chosen = CLIENTS.filter(({ name }) => name.includes(only));
    for (const client of chosen) await tryClient(client, workplace, report);
    if (DESCRIPTIONS.includes(only) && frontDoor === undefined) await examineDescriptions(workplace, report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    [
      '',
      report.matrix(Object.values(BINDING_TITLES)),
      report.matrix([CREDENTIALS]),
      report.matrix([DESCRIPTIONS]),
      report.totals(),
    ].join('\n'),
  );
  process.exitCode = report.hasFailed(process.env['STRICT'] === '1') ? 1 : 0;
}

runCommand(command);
