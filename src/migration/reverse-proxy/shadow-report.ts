import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

import { errorWord, OperatorError, systemErrorCode } from '../../support/errors';
import { makePrivateFolder, PRIVATE_FILE } from '../../support/private-files';
import type { HttpRequest } from '../messages';
import { bindingName, type Findings, findingsTogether, FindingsTotal } from '../report/findings';
import { type Difference, isFailing, type Verdict } from '../verdict/verdict';
import type { DoorCall } from './door-report';
import type { NotCompared, ShadowObserver } from './shadow';

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
interface ShadowFindings {
  /** When the first of them began, and the last one wrote; ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly findings: Findings;
}

/** Writes what this process finds into a file of its own, so that it outlives the process. */
class FindingsFile {
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
    throw new OperatorError(`Cannot read the comparisons from ${folder} (${errorWord(cause)}).`, {
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

interface ShadowReportOptions {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Where what was found is kept. */
  readonly folder: string;
  /** What the examples call: the old server. */
  readonly address: string;
}

/** Callers send the same again and again: no more than one line of a difference in this time. */
const INTERVAL_MS = 60_000;
/** Of how many differences is remembered when there was a line. */
const MOST_REMEMBERED = 1000;

/** Tells the log, the metrics and a file what came of comparing. Values are masked before they come here. */
export class ShadowReport implements ShadowObserver {
  readonly #logger: Logger;
  readonly #total: FindingsTotal;
  readonly #file: FindingsFile;
  /** By difference, how often it was met since its last line. */
  readonly #told = new Map<string, { atMs: number; times: number }>();
  readonly #verdicts: Counter<'operation' | 'binding' | 'verdict'>;

  constructor({ logger, registry, folder, address }: ShadowReportOptions) {
    this.#logger = logger;
    this.#total = new FindingsTotal(address);
    this.#file = new FindingsFile(folder, this.#total, (error) => {
      logger.error({ folder, error }, 'cannot write the comparisons');
    });
    this.#verdicts = new Counter({
      name: 'service_compared_requests_total',
      help: 'Requests answered by the old server and selected for comparison, by operation, binding and verdict (bytes, xml, order, different; if not compared: dropped, too_large, late, failed).',
      labelNames: ['operation', 'binding', 'verdict'],
      registers: [registry],
    });
  }

  /** A line in the log for each difference that nobody made on purpose: at once, and then at most once a minute. */
  compared(call: DoorCall, request: HttpRequest, verdict: Verdict): void {
    const { operation = '', binding = '' } = call;
    this.#count(call, verdict.level);
    for (const difference of verdict.differences.filter(isFailing))
      this.#tell(operation, binding, difference);
    this.#total.add({ request, operation, binding: bindingName(binding), verdict });
    this.#file.changed();
  }

  notCompared(call: DoorCall, why: NotCompared): void {
    this.#count(call, why);
  }

  /** Writes what is not written yet. */
  close(): void {
    this.#file.close();
  }

  #tell(operation: string, binding: string, difference: Difference): void {
    const { part, place, what } = difference;
    const key = [operation, binding, part, what, place].join(' ');
    const now = performance.now();
    const told = this.#told.get(key);
    if (told !== undefined && now - told.atMs < INTERVAL_MS) {
      told.times += 1;
      return;
    }
    if (this.#told.size >= MOST_REMEMBERED) this.#told.clear();
    this.#told.set(key, { atMs: now, times: 0 });
    const times = (told?.times ?? 0) + 1;
    this.#logger.warn(
      { operation, binding, ...difference, times },
      'our response differs from the old server’s',
    );
  }

  #count({ operation = 'none', binding = 'none' }: DoorCall, verdict: string): void {
    this.#verdicts.inc({ operation, binding, verdict });
  }
}
