import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';

import {
  makeRunFolder,
  PACKAGE_ROOT,
  type PostgresCluster,
  runCommand,
  startPostgresCluster,
} from '../../scripts/harness';
import { certify } from '../harness/certificates';
import { type Block, shellBlocks } from './blocks';
import { Machine } from './machine';

/** Each on a machine of its own, on which the service is installed as the first block of the first page says. */
const INSTALLING = 'docs/install.md';
const PAGES = [
  INSTALLING,
  ...['docs/first-hour.md', 'docs/import-school-data.md', 'docs/messages.md', 'docs/texts-and-hours.md'],
  ...['docs/access-and-tls.md', 'docs/change-settings.md', 'docs/privacy.md', 'docs/backup-and-restore.md'],
  ...['docs/several-nodes.md', 'docs/upgrade.md', 'docs/troubleshoot.md', 'docs/monitoring.md'],
];
const SAMPLE = '/opt/school-notifications/node_modules/school-notifications/scripts/sample-school';
/** A service that runs, files of a school, and somebody who was sent a code. */
const RUNNING = `
  cp -R ${SAMPLE} /srv/school
  school-notifications import /srv/school
  systemctl start school-notifications
  curl -fsS "http://127.0.0.1:8080/AuthCodeSending.asmx/AuthCode?code=123456&phone=%2B905551112233"`;
/** Holds what a page takes for granted. */
const BEFORE: Readonly<Record<string, string>> = {
  // A PostgreSQL that holds a school.
  'docs/backup-and-restore.md': `DATABASE_URL="$DATABASE_URL" school-notifications import ${SAMPLE}`,
  'docs/import-school-data.md': RUNNING,
  'docs/messages.md': RUNNING,
  'docs/texts-and-hours.md': RUNNING,
  'docs/access-and-tls.md': RUNNING,
  'docs/change-settings.md': RUNNING,
  'docs/privacy.md': RUNNING,
  'docs/several-nodes.md': RUNNING,
  'docs/upgrade.md': RUNNING,
  'docs/troubleshoot.md': RUNNING,
};

const command = new Command('test:handbook')
  .description('Runs the commands of the handbook, page by page, on machines of their own.')
  .argument('[page]', 'only the page whose name has this in it', '')
  .action(runHandbook);

async function runHandbook(only: string): Promise<void> {
  const folder = makeRunFolder('handbook');
  const cluster = await startPostgresCluster({ durable: false });
  if (cluster === undefined) throw new Error('PostgreSQL’s programs are needed: apt-get install postgresql');
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder.path], { cwd: PACKAGE_ROOT });
    const [file = ''] = readdirSync(folder.path);
    const packed = join(folder.path, file);
    const [install] = blocksOf(INSTALLING);
    if (install === undefined) throw new Error(`${INSTALLING} has no commands.`);
    for (const [at, page] of PAGES.filter((name) => name.includes(only)).entries()) {
      const machine = await Machine.make(
        join(folder.path, String(at)),
        variables(folder.path, packed, cluster, at),
      );
      const before = page === INSTALLING ? [] : [install, ...blocksBefore(page)];
      const blocks = [...before, ...blocksOf(page)];
      const failed = blocks.filter((block) => !hasRun(block, machine));
      machine.stop();
      if (failed.length > 0) process.exitCode = 1;
    }
  } finally {
    cluster.stop();
    folder.remove();
  }
}

/** Returns what the pages' commands name, on a machine whose databases are empty. */
function variables(
  folder: string,
  packed: string,
  { url }: PostgresCluster,
  at: number,
): Readonly<Record<string, string>> {
  const database = (name: string): string => {
    const address = new URL(url);
    execFileSync('psql', [url, '--quiet', '--command', `create database ${name}${String(at)}`]);
    address.pathname = `${name}${String(at)}`;
    return address.href;
  };
  return {
    PACKAGE: packed,
    NEW_PACKAGE: packed,
    OLD_PACKAGE: packed,
    DATABASE_URL: database('now'),
    NEW_DATABASE_URL: database('next'),
    EMPTY_DATABASE_URL: database('empty'),
    REPLICATION_URL: url,
    ...certificateIn(folder),
    TOKEN: 'a-token-of-a-device',
  };
}

function certificateIn(folder: string): { readonly CERTIFICATE: string; readonly CERTIFICATE_KEY: string } {
  const { certificate, key } = certify({ name: 'localhost' });
  const files = { CERTIFICATE: join(folder, 'own.crt'), CERTIFICATE_KEY: join(folder, 'own.key') };
  writeFileSync(files.CERTIFICATE, certificate);
  writeFileSync(files.CERTIFICATE_KEY, key);
  return files;
}

function blocksBefore(page: string): readonly Block[] {
  const script = BEFORE[page];
  return script === undefined ? [] : [{ place: `before ${page}`, script }];
}

function blocksOf(page: string): readonly Block[] {
  return shellBlocks(page, readFileSync(join(PACKAGE_ROOT, page), 'utf8'));
}

function hasRun(block: Block, machine: Machine): boolean {
  const { code, output } = machine.run(block);
  console.log(`${code === 0 ? 'ran' : 'FAILED'} ${block.place}`);
  if (code === 0) return true;
  console.log(`${block.script}\n-- exit code ${String(code)}:\n${output}`);
  return false;
}

runCommand(command);
