import type { Report } from '../interop/report';
import { findCommand } from '../interop/run-command';

/** Describes what a part of the run is given. */
export interface Workplace {
  /** Folder for everything that the run makes. */
  readonly folder: string;
  /** The package, as npm packs it. */
  readonly file: string;
  /** Folder that the package is installed in, without what only builds and tests. */
  readonly installed: string;
}

/** The checks of one file under `packaging/`. */
export class Trial {
  readonly #report: Report;
  readonly #file: string;

  constructor(report: Report, file: string) {
    this.#report = report;
    this.#file = file;
  }

  /** One line of the report: what is tried has passed, unless it throws. */
  async check(what: string, attempt: () => unknown): Promise<void> {
    try {
      await attempt();
      this.#add(what, 'passed');
    } catch (error) {
      this.#add(what, 'failed', error instanceof Error ? error.message : String(error));
    }
  }

  /** Returns true if a program is missing, which the report then says. */
  lacks(what: string, ...programs: readonly string[]): boolean {
    const missing = programs.filter((program) => findCommand(program) === undefined);
    if (missing.length > 0) this.skip(what, `needs ${missing.join(', ')}`);
    return missing.length > 0;
  }

  skip(what: string, reason: string): void {
    this.#add(what, 'skipped', reason);
  }

  #add(what: string, verdict: 'passed' | 'failed' | 'skipped', reason?: string): void {
    this.#report.add({ client: this.#file, column: 'packaging', what, verdict, reason });
  }
}

/**
 * Looks again and again until something is so.
 *
 * @throws Error where it is not within two minutes
 */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`It is not so within two minutes: ${what}`);
}
