import { join } from 'node:path';

import { ENDPOINT_NAMES, PACKAGE_ROOT } from '../../../scripts/harness';
import { runCommand } from '../run-command';

/** Sources of the programs that call through generated proxies. */
export const PROGRAMS = join(PACKAGE_ROOT, 'test', 'interop', 'programs');

/** Compiles C# against assemblies of Mono's. */
export async function compileCSharp(
  folder: string,
  program: string,
  sources: readonly string[],
  references: readonly string[],
  symbols: readonly string[] = [],
): Promise<void> {
  const args = [
    `-out:${program}`,
    ...references.map((name) => `-r:${name}`),
    ...symbols.map((name) => `-define:${name}`),
    ...sources,
  ];
  await runCommand('mcs', args, { folder });
}

/** Runs a generator once for each endpoint and returns the names of the files that it wrote. */
export function generateForEndpoints(
  generate: (endpoint: string, file: string) => Promise<void>,
): Promise<readonly string[]> {
  return Promise.all(
    ENDPOINT_NAMES.map(async (endpoint) => {
      const file = `${endpoint}.cs`;
      await generate(endpoint, file);
      return file;
    }),
  );
}
