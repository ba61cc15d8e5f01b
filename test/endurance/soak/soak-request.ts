import type { Answer } from '../../../scripts/harness';

/** One request of the mix. */
export interface SoakRequest {
  readonly title: string;
  /** A string goes out as latin1. */
  readonly bytes: string | Buffer;
  /**
   * Throws where the answer is not what it must be. Undefined: the connection is cut after these bytes, and
   * there is no answer.
   */
  readonly check: ((answer: Answer) => void) | undefined;
}
