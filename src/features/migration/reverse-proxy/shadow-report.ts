import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

import { errorWord, OperatorError, systemErrorCode } from '../../../support/errors';
import { makePrivateFolder } from '../../../support/private-files';
import { removeFile, replaceFile, replaceFileSync } from '../../../support/replace-file';
import { RepeatedLines } from '../../../telemetry';
import type { HttpRequest } from '../messages';
import { bindingName, type Findings, findingsTogether, FindingsTotal } from '../report/findings';
import { type Difference, isFailing, type Verdict } from '../verdict/verdict';
import type { ForwardedCall } from './forwarding-report';
import type { NotCompared, ShadowObserver } from './shadow';

/** Interval of writing new findings, in milliseconds. */
const WRITE_MS = 5000;
/** Each process has a file; beyond this number, the oldest files are removed. */
const MAX_FILES = 64;

/** Findings of one process, as stored in its file, or of all processes in a folder. */
interface ShadowFindings {
  /** Start of the first process and last write of any; ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly findings: Findings;
}

/** Writes the findings of this process to a file of its own, which outlives the process. */
class FindingsFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #total: FindingsTotal;
  readonly #from = new Date().toISOString();
  #waiting: NodeJS.Timeout | undefined;
  readonly #onError: (word: string) => void;

  /** @param onError called with one word if the file cannot be written */
  constructor(folder: string, total: FindingsTotal, onError: (word: string) => void) {
    this.#folder = folder;
    this.#total = total;
    this.#onError = onError;
    this.#path = join(folder, `${this.#from.replaceAll(':', '')}-${String(process.pid)}.json`);
  }

  /** Must be called after each new finding. */
  changed(): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      void this.#write();
    }, WRITE_MS).unref();
  }

  /** Writes findings not written yet. */
  close(): void {
    if (this.#waiting === undefined) return;
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    try {
      this.#prepare();
      replaceFileSync(this.#path, this.#text());
    } catch (error) {
      this.#onError(errorWord(error));
    }
  }

  async #write(): Promise<void> {
    try {
      this.#prepare();
      await replaceFile(this.#path, this.#text());
    } catch (error) {
      this.#onError(errorWord(error));
    }
  }

  #prepare(): void {
    makePrivateFolder(this.#folder);
    const others = fileNames(this.#folder).filter((name) => join(this.#folder, name) !== this.#path);
    for (const name of others.slice(0, Math.max(0, others.length - MAX_FILES + 1)))
      removeFile(join(this.#folder, name));
  }

  #text(): string {
    const recorded: ShadowFindings = {
      from: this.#from,
      to: new Date().toISOString(),
      findings: this.#total.findings(),
    };
    return JSON.stringify(recorded);
  }
}

/** Returns the files of a folder, oldest first. */
function fileNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
}

/**
 * Reads the findings of all processes in a folder; undefined if there are none yet.
 *
 * @throws OperatorError if the folder or a file cannot be read
 */
export function readFindings(folder: string): ShadowFindings | undefined {
  let recorded: readonly ShadowFindings[];
  try {
    recorded = fileNames(folder).map(
      // Our own file, which was written atomically.
      (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ShadowFindings,
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
  readonly folder: string;
  /** Base URL of the examples: the old server. */
  readonly address: string;
}

/** Reports comparisons to the log, the metrics and a file. Values are already masked. */
export class ShadowReport implements ShadowObserver {
  readonly #logger: Logger;
  readonly #total: FindingsTotal;
  readonly #file: FindingsFile;
  readonly #lines = new RepeatedLines();
  readonly #verdicts: Counter<'operation' | 'binding' | 'verdict'>;

  constructor({ logger, registry, folder, address }: ShadowReportOptions) {
    this.#logger = logger;
    this.#total = new FindingsTotal(address);
    this.#file = new FindingsFile(folder, this.#total, (error) =>
      logger.error({ folder, error }, 'cannot write the comparisons'),
    );
    this.#verdicts = new Counter({
      name: 'service_compared_requests_total',
      help: 'Requests answered by the old server and selected for comparison, by operation, binding and verdict (bytes, xml, order, different; if not compared: dropped, too_large, late, failed).',
      labelNames: ['operation', 'binding', 'verdict'],
      registers: [registry],
    });
  }

  /** Logs each unintended difference: at once, and then at most once a minute. */
  compared(call: ForwardedCall, request: HttpRequest, verdict: Verdict): void {
    const { operation = '', binding = '' } = call;
    this.#count(call, verdict.level);
    for (const difference of verdict.differences.filter(isFailing)) this.#log(operation, binding, difference);
    this.#total.add({ request, operation, binding: bindingName(binding), verdict });
    this.#file.changed();
  }

  notCompared(call: ForwardedCall, why: NotCompared): void {
    this.#count(call, why);
  }

  /** Writes findings not written yet. */
  close(): void {
    this.#file.close();
  }

  #log(operation: string, binding: string, difference: Difference): void {
    const { part, place, what } = difference;
    const key = [operation, binding, part, what, place].join(' ');
    const times = this.#lines.count(key);
    if (times === undefined) return;
    this.#logger.warn(
      { operation, binding, ...difference, times },
      'our response differs from the old server’s',
    );
  }

  #count({ operation = 'none', binding = 'none' }: ForwardedCall, verdict: string): void {
    this.#verdicts.inc({ operation, binding, verdict });
  }
}
