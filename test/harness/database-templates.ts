import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { atExit, PACKAGE_ROOT } from '../../scripts/harness';
import { openStore } from '../../src/store';
import { createPostgresDatabase, dropPostgresDatabase } from './postgres-databases';
import { keepPristine } from './pristine';

/** Describes what a database of the tests may begin with. */
export type TemplateName = 'schema' | 'sample school';

type Names = Readonly<Record<TemplateName, string>>;

/**
 * Databases to copy, which costs a fraction of making them: files of SQLite, URLs of PostgreSQL. Jest's workers inherit
 * the environment of the process that made them, and nothing else.
 */
const VARIABLES = { sqlite: 'SQLITE_TEMPLATES', postgres: 'POSTGRES_TEMPLATES' } as const;

/** Makes SQLite's templates. They are temporary files of this process. */
export async function makeSqliteTemplates(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'test-templates-'));
  atExit(() => {
    rmSync(folder, { recursive: true });
  });
  const files = { schema: join(folder, 'schema.db'), 'sample school': join(folder, 'sample-school.db') };
  await fill({ schema: `sqlite:${files.schema}`, 'sample school': `sqlite:${files['sample school']}` });
  process.env[VARIABLES.sqlite] = JSON.stringify(files);
}

/** Makes PostgreSQL's templates, on the server of the tests. */
export async function makePostgresTemplates(): Promise<void> {
  const urls = { schema: await createPostgresDatabase(), 'sample school': await createPostgresDatabase() };
  await fill(urls);
  for (const url of Object.values(urls)) await keepPristine(url);
  process.env[VARIABLES.postgres] = JSON.stringify(urls);
}

async function fill(urls: Names): Promise<void> {
  await (await openStore({ url: urls.schema })).close();
  const store = await openStore({ url: urls['sample school'] });
  await store.importFolder(join(PACKAGE_ROOT, 'scripts', 'sample-school'));
  await store.close();
}

/** Removes PostgreSQL's templates, from a server that may outlive the tests. */
export async function removePostgresTemplates(): Promise<void> {
  const urls = process.env[VARIABLES.postgres];
  if (urls === undefined) return;
  Reflect.deleteProperty(process.env, VARIABLES.postgres);
  for (const url of Object.values(JSON.parse(urls) as Names)) await dropPostgresDatabase(url);
}

/** Returns SQLite's templates; without a global set-up, the first call makes them. */
export async function sqliteTemplates(): Promise<Names> {
  if (process.env[VARIABLES.sqlite] === undefined) await makeSqliteTemplates();
  return JSON.parse(process.env[VARIABLES.sqlite] ?? '') as Names;
}

/** Returns PostgreSQL's templates; without a global set-up, the first call makes them. */
export async function postgresTemplates(): Promise<Names> {
  if (process.env[VARIABLES.postgres] === undefined) await makePostgresTemplates();
  return JSON.parse(process.env[VARIABLES.postgres] ?? '') as Names;
}
