import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { firstDifference } from './first-difference';

const DOCUMENT = join(PACKAGE_ROOT, 'docs', 'integrate-a-client.md');

/** Tables by the name in the comments of the document that they stand between. */
export type Tables = Readonly<Record<string, string>>;

/** Puts the tables of a run into docs/integrate-a-client.md. */
export function writeTables(tables: Tables): void {
  writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8'), tables));
}

/** Where docs/integrate-a-client.md shows otherwise than a run found, or undefined. */
export function documentedOtherwise(tables: Tables): string | undefined {
  const document = readFileSync(DOCUMENT, 'utf8');
  return firstDifference(withTables(document, tables), document);
}

/**
 * A document with tables in their places.
 *
 * @throws Error that names the place that is not there
 */
export function withTables(document: string, tables: Tables): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const begin = `<!-- ${name}: begin -->\n`;
    const from = text.indexOf(begin);
    const to = text.indexOf(`<!-- ${name}: end -->`);
    if (from === -1 || to < from)
      throw new Error(`docs/integrate-a-client.md has no place for the table ${name}`);
    return `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`;
  }, document);
}
