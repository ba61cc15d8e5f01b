import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorWord, OperatorError, systemErrorCode } from '../../../support/errors';
import { makePrivateFolder, PRIVATE_FILE } from '../../../support/private-files';
import { type Findings, findingsTogether, type FindingsTotal } from '../../report';

/** How often what was found is written, where there is anything new, in milliseconds. */
const WRITE_MS = 5000;
/** Each process that was started has a file; of more the oldest are removed. */
const MOST_FILES = 64;

/** What one process found, as it stands in its file. */
interface Recorded {
  readonly from: string;
  readonly to: string;
  readonly findings: Findings;
}

/** What the processes found that wrote into a folder. */
export interface ShadowFindings {
  /** When the first of them began, and the last one wrote; ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly findings: Findings;
}

/** Writes what this process finds into a file of its own, so that it outlives the process. */
export class FindingsFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #total: FindingsTotal;
  readonly #from = new Date().toISOString();
  #waiting: NodeJS.Timeout | undefined;
  readonly #onError: (word: string) => void;

  /** @param onError told in a word why the file cannot be written */
  constructor(folder: string, total: FindingsTotal, onError: (word: string) => void) {
    this.#folder = folder;
    this.#total = total;
    this.#onError = onError;
    this.#path = join(folder, `${this.#from.replaceAll(':', '')}-${String(process.pid)}.json`);
  }

  /** To be called when something was found. */
  changed(): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      void this.#write();
    }, WRITE_MS).unref();
  }

  /** Writes what is not written yet. */
  close(): void {
    if (this.#waiting === undefined) return;
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#attempt(() => {
      this.#prepare();
      writeFileSync(this.#draft, this.#text(), { mode: PRIVATE_FILE });
      renameSync(this.#draft, this.#path);
    });
  }

  async #write(): Promise<void> {
    try {
      this.#prepare();
      await writeFile(this.#draft, this.#text(), { mode: PRIVATE_FILE });
      await rename(this.#draft, this.#path);
    } catch (error) {
      this.#onError(errorWord(error));
    }
  }

  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#onError(errorWord(error));
    }
  }

  #prepare(): void {
    makePrivateFolder(this.#folder);
    const others = fileNames(this.#folder).filter((name) => join(this.#folder, name) !== this.#path);
    for (const name of others.slice(0, Math.max(0, others.length - MOST_FILES + 1)))
      rmSync(join(this.#folder, name), { force: true });
  }

  #text(): string {
    const recorded: Recorded = {
      from: this.#from,
      to: new Date().toISOString(),
      findings: this.#total.findings(),
    };
    return JSON.stringify(recorded);
  }

  /** Whoever reads meets a whole file. */
  get #draft(): string {
    return `${this.#path}.new`;
  }
}

/** Those of a folder, the oldest first. */
function fileNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
}

/**
 * What all processes found that wrote into a folder; undefined where none has yet.
 *
 * @throws OperatorError where the folder or a file cannot be read
 */
export function readFindings(folder: string): ShadowFindings | undefined {
  let recorded: readonly Recorded[];
  try {
    recorded = fileNames(folder).map(
      // Our own file, which was written whole.
      (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded,
    );
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return undefined;
    throw new OperatorError(`What was compared cannot be read from ${folder} (${errorWord(cause)}).`, {
      cause,
    });
  }
  const [first] = recorded;
  if (first === undefined) return undefined;
  return {
    from: first.from,
    to: recorded.map(({ to }) => to).reduce((latest, to) => (to > latest ? to : latest)),
    findings: findingsTogether(recorded.map(({ findings }) => findings)),
  };
}
