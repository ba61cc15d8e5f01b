import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { RawClient } from '../harness';
import { answerChecker, type LoadResult, loadsAmong, withHeader } from '../harness/load';
import type { Caller, LoadTask } from './load-generator';

/** Requests of a load that follow each other, over and over. */
const CASES = 256;

/**
 * Calls the servers by wrk, a load generator that others wrote. It sends what it has ready and looks at no answer but for
 * its status; one answer is checked before.
 */
export class Wrk implements Caller {
  readonly #folder: string;
  readonly #core: number | undefined;

  /**
   * @param folder - for its scripts
   * @param core - the processor core that it keeps to; undefined for any
   */
  constructor(folder: string, core: number | undefined) {
    this.#folder = folder;
    this.#core = core;
  }

  async run(
    { load: name, students, port, seconds, connections, fixed, header }: LoadTask,
    begin: () => void,
  ): Promise<LoadResult> {
    const load = loadsAmong(students)[name];
    if (load === undefined) throw new Error(`There is no load ${name}.`);
    const [before, after] = withHeader(load, header);
    const cases = Array.from({ length: CASES }, (_, at) => load.caseOf(at));
    const [first = load.caseOf(0)] = cases;
    const client = new RawClient(port);
    answerChecker(load)(await client.ask(before + first.value + after), fixed ? load.caseOf(0) : first);
    client.close();

    const script = join(this.#folder, `${name}.lua`);
    const requests = cases.map(({ value }) => JSON.stringify(before + value + after));
    writeFileSync(
      script,
      `local requests = {${requests.join(',')}}\nlocal at = 0\nrequest = function() at = at % ${String(CASES)} + 1; return requests[at] end\n`,
    );
    const [command = '', ...args] = [
      ...(this.#core === undefined ? [] : ['taskset', '-c', String(this.#core)]),
      ...['wrk', '-t1', `-c${String(connections)}`, `-d${String(Math.ceil(seconds))}s`, '--latency'],
      ...['-s', script, `http://127.0.0.1:${String(port)}/`],
    ];
    begin();
    const { stdout } = await promisify(execFile)(command, args);
    return readReport(stdout);
  }

  close(): void {
    // Nothing runs between two calls.
  }
}

function readReport(report: string): LoadResult {
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(report);
  if (failed !== null) throw new Error(`wrk: ${failed[0]}`);
  const [, answers = '', seconds = ''] = /(\d+) requests in ([\d.]+)s/.exec(report) ?? [];
  return {
    answers: Number(answers),
    seconds: Number(seconds),
    p50Micros: percentile(report, '50%'),
    p99Micros: percentile(report, '99%'),
  };
}

const MICROS: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1_000_000 };

function percentile(report: string, name: string): number {
  const [, number = '', unit = ''] = new RegExp(`${name} +([\\d.]+)(us|ms|s)`).exec(report) ?? [];
  return Number(number) * (MICROS[unit] ?? Number.NaN);
}
