import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { packageRoot } from '../../scripts/harness';

/** Matches a doc comment that begins as a fragment does, and not as a sentence. */
const FRAGMENT = /\/\*\*\s+(?:\*\s+)?(?:Of|What|Whether|Who|The same|Those|That)\b.*/g;

/** Leaves room for exceptions; none is needed at present. */
const MAX_FRAGMENTS = 5;

it('doc comments are sentences', () => {
  const folder = join(packageRoot(), 'src');
  const fragments = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(FRAGMENT) ?? []);
  expect(fragments.slice(MAX_FRAGMENTS)).toEqual([]);
});
