import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { PAGES } from './pages';
import { readRepositoryFile } from '../harness/repository-files';

/** Set by `npm run docs`, which writes the pages instead of comparing them. */
const WRITES = process.env['WRITE_DOCS'] === 'true';

describe('a generated page', () => {
  it.each(PAGES)('matches the output of `npm run docs`: $path', async ({ path, text }) => {
    const file = join(PACKAGE_ROOT, path);
    if (WRITES) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, await text());
    }
    expect(readRepositoryFile(path)).toBe(await text());
  });
});
