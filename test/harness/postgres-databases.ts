import { randomBytes } from 'node:crypto';

import { Client, type QueryResult } from 'pg';

/** Returns true if there is a PostgreSQL to test on. */
export function hasPostgres(): boolean {
  return serverUrl() !== '';
}

/**
 * A new PostgreSQL database; returns its URL.
 *
 * @param template - URL of one to copy, to which nobody may be connected; an empty one is made without it
 */
export async function createPostgresDatabase(template?: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(`create database ${name}${template === undefined ? '' : ` template ${nameOf(template)}`}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropPostgresDatabase(url: string): Promise<void> {
  await administer(`drop database ${nameOf(url)} with (force)`);
}

/**
 * Runs a statement as the owner of the test server, on its own database.
 *
 * @returns how many rows it was about
 */
export async function administer(statement: string): Promise<number> {
  return (await query(serverUrl(), statement)).rowCount ?? 0;
}

/** Runs statements over a connection of their own. */
export async function query(url: string, text: string): Promise<QueryResult<Record<string, unknown>>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Asked for each time: the global set-up starts the server. */
function serverUrl(): string {
  return process.env['TEST_DATABASE_URL'] ?? '';
}
