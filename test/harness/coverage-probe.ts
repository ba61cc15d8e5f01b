import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { PACKAGE_ROOT } from '../../scripts/harness';

/** Reports which code ran since its last report, by the engine's own precise coverage. */
export class CoverageProbe {
  readonly #session = new Session();
  readonly #begin: string;

  /** @param source folder or file of the repository to look at */
  constructor(source: string) {
    this.#begin = pathToFileURL(join(PACKAGE_ROOT, source)).href;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** The places from which code ran on since the last call. */
  take(): readonly string[] {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // The answer comes at once.
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error;
      scripts = answer.result;
    });
    return scripts
      .filter(({ url }) => url.startsWith(this.#begin))
      .flatMap(({ scriptId, functions }) =>
        functions.flatMap(({ ranges }) => reached(ranges).map((offset) => `${scriptId}:${String(offset)}`)),
      );
  }

  close(): void {
    this.#session.disconnect();
  }
}

/**
 * Where code ran, of all places at which one range of a function begins or ends. Ranges lie within each other, the outer
 * one first; one that ran as often as the one around it is not there.
 */
function reached(ranges: readonly Profiler.CoverageRange[]): readonly number[] {
  const places = new Set(ranges.flatMap(({ startOffset, endOffset }) => [startOffset, endOffset]));
  return [...places].filter((place) => {
    const innermost = ranges.findLast(
      ({ startOffset, endOffset }) => startOffset <= place && place < endOffset,
    );
    return innermost !== undefined && innermost.count > 0;
  });
}
