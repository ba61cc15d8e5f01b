import Sequencer from '@jest/test-sequencer';

/**
 * Files that look at the engine's own coverage, or have all objects collected: either goes over all that the process ever
 * loaded.
 */
const FIRST =
  /(?:fuzz\/guided|harness\/coverage-guided|csv\/read-csv|namespace-memory|backups\/[a-z-]+|move\/[a-z.]+)\.test\.ts$/;

/** The order of the test files: those first, then Jest's own, the longest first. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => FIRST.test(other.path) - FIRST.test(one.path));
  }
}
