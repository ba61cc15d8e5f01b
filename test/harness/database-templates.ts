import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packageRoot } from '../../scripts/harness';
import { openStore } from '../../src/store';
import { createPostgresDatabase, dropPostgresDatabase, hasPostgres } from './postgres-databases';
import { keepPristine } from './pristine';

/** What a database of the tests may begin with. */
export type TemplateName = 'schema' | 'sample school';

/** Databases to copy, which costs a fraction of making them. */
interface Templates {
  readonly folder: string;
  /** Files of SQLite. */
  readonly sqlite: Readonly<Record<TemplateName, string>>;
  /** URLs of PostgreSQL databases, where there is one. */
  readonly postgres?: Readonly<Record<TemplateName, string>>;
}

/** Jest's workers inherit the environment of the process that runs the global set-up, and nothing else. */
const VARIABLE = 'TEST_TEMPLATES';

/** Makes the templates of the engines that can be tested here. */
export async function makeTemplates(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'test-templates-'));
  const sqlite = { schema: join(folder, 'schema.db'), 'sample school': join(folder, 'sample-school.db') };
  await fill({ schema: `sqlite:${sqlite.schema}`, 'sample school': `sqlite:${sqlite['sample school']}` });
  let made: Templates = { folder, sqlite };
  if (hasPostgres()) {
    const postgres = {
      schema: await createPostgresDatabase(),
      'sample school': await createPostgresDatabase(),
    };
    await fill(postgres);
    for (const url of Object.values(postgres)) await keepPristine(url);
    made = { ...made, postgres };
  }
  process.env[VARIABLE] = JSON.stringify(made);
}

async function fill(urls: Readonly<Record<TemplateName, string>>): Promise<void> {
  await (await openStore({ url: urls.schema })).close();
  const store = await openStore({ url: urls['sample school'] });
  await store.importFolder(join(packageRoot(), 'scripts', 'sample-school'));
  await store.close();
}

/** Takes them away again. */
export async function removeTemplates(): Promise<void> {
  const { folder, postgres } = await templates();
  rmSync(folder, { recursive: true });
  for (const url of Object.values(postgres ?? {})) await dropPostgresDatabase(url);
}

/** The templates that the global set-up made; where tests run without it, they are made by the first who asks. */
export async function templates(): Promise<Templates> {
  if (process.env[VARIABLE] === undefined) await makeTemplates();
  return JSON.parse(process.env[VARIABLE] ?? '') as Templates;
}
