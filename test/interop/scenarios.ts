import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Binding } from '../../src/asmx';
import type { DescribedOperation } from '../harness/contract-operations';
import type { Scenario } from './scenario';

/**
 * A file for each operation: who adds an operation adds one, and it is tried over every binding and by every client.
 */
const FOLDER = join(__dirname, 'scenarios');

const load = createRequire(__filename);
const SCENARIOS: readonly Scenario[] = readdirSync(FOLDER)
  .filter((file) => /\.[jt]s$/.test(file))
  .flatMap((file) => (load(join(FOLDER, file)) as { readonly SCENARIOS: readonly Scenario[] }).SCENARIOS);

/**
 * Returns what every client calls of an operation over a binding that it has, in this order.
 *
 * @throws Error where no scenario shows the operation at work
 */
export function scenariosOf({ name }: DescribedOperation, binding: Binding): readonly Scenario[] {
  const found = SCENARIOS.filter(
    ({ operation, bindings }) => operation === name && bindings?.includes(binding) !== false,
  );
  if (found.every(({ expected }) => expected.kind === 'refused')) {
    throw new Error(
      `No scenario shows ${name} at work over ${binding}: add one to test/interop/scenarios, see CONTRIBUTING.md`,
    );
  }
  return found;
}
