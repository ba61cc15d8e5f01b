import type { SourceMapPayload } from 'node:module';
import { sep } from 'node:path';

import type { Instrument } from './module-loader';

/** Global of the counts. */
export const COVERAGE = '__coverage__';

/**
 * Returns what makes the statements of a folder's files count how often they run, like Jest's own runner: the map in the
 * counts leads Jest's reporter from compiled statements to lines of the source.
 */
export async function countStatements(folder: string): Promise<Instrument> {
  // Loading it takes as long as a small test file.
  const { createInstrumenter } = await import('istanbul-lib-instrument');
  return (code, path, map) => {
    if (!path.startsWith(folder + sep)) return code;
    const instrumenter = createInstrumenter({ esModules: false, coverageVariable: COVERAGE });
    const payload = JSON.parse(map) as SourceMapPayload; // The compiler wrote it.
    return instrumenter.instrumentSync(code, path, { ...payload, version: String(payload.version) });
  };
}
