import type { Finding } from '../../support/errors';

/** One part of what was looked at. */
export interface Section {
  readonly title: string;
  /** Names and what is to be said of them, in as many cells each. */
  readonly rows: readonly (readonly string[])[];
  readonly findings: readonly Finding[];
}
