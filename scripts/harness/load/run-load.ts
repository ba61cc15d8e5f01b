import { createHistogram } from 'node:perf_hooks';

import { RawConnection, type RawResponse, PROGRAM, ServerProcess } from '..';
import type { Case, Load } from './loads';

export interface LoadOptions {
  readonly port: number;
  readonly seconds: number;
  readonly connections: number;
  /**
   * One in this number of connections asks: one of as many processes is busy then, for they get connections in turn.
   */
  readonly askEvery?: number;
  /** The server has one answer for all requests: that to the load's case 0. */
  readonly fixed: boolean;
  /** A line that each request has in its head beside those of the load. */
  readonly header?: string | undefined;
}

export interface LoadResult {
  readonly answers: number;
  readonly seconds: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
}

/**
 * Starts a server to be put under load, as in production, and waits until it listens. Its log is read by nobody.
 *
 * @param nodeOptions - options for Node itself
 */
export function startTarget(
  program: string,
  settings: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const environment = { NODE_ENV: 'production', PORT: '0', HOST: '127.0.0.1', ...settings };
  const args = program === PROGRAM ? ['start'] : [];
  return new ServerProcess(program, { environment, nodeOptions, args }).listening();
}

/**
 * Returns what surrounds a value, with one more line behind that of the request, which ends before the value or after.
 */
export function withHeader(
  { before, after }: Load,
  header: string | undefined,
): readonly [before: string, after: string] {
  if (header === undefined) return [before, after];
  const add = (text: string): string => text.replace('\r\n', `\r\n${header}\r\n`);
  return before.includes('\r\n') ? [add(before), after] : [before, add(after)];
}

/** Requests that this process has sent: no two have the same number. */
let requests = 0;

/**
 * Sends requests of a load over some connections for a time, one after the other on each, and checks every answer.
 * Before that they are opened one by one, and each asks once: a server of several processes hands them round.
 *
 * @param ready - called when every connection had its first answer; the time begins when it has resolved
 * @throws Error for the first answer that is not the expected one
 */
export async function runLoad(
  load: Load,
  { port, seconds, connections, askEvery = 1, fixed, header }: LoadOptions,
  ready: () => Promise<unknown> = () => Promise.resolve(),
): Promise<LoadResult> {
  const opened: RawConnection[] = [];
  const check = answerChecker(load);
  const [before, after] = withHeader(load, header);
  const fixedCase = fixed ? load.caseOf(0) : undefined;
  /** Resolves to how long the answer took, in milliseconds. */
  const ask = async (connection: RawConnection): Promise<number> => {
    const asked = load.caseOf(requests++);
    const sentAt = performance.now();
    connection.write(before + asked.value + after);
    const response = await connection.read();
    const tookMs = performance.now() - sentAt;
    check(response, fixedCase ?? asked);
    return tookMs;
  };

  try {
    while (opened.length < connections) {
      const connection = await RawConnection.open(port);
      opened.push(connection);
      await ask(connection);
    }
    const asking = opened.filter((_, at) => at % askEvery === 0);
    await ready();
    const latencies = createHistogram();
    let answers = 0;
    const started = performance.now();
    const end = started + seconds * 1000;
    await Promise.all(
      asking.map(async (connection) => {
        do {
          latencies.record(Math.max(1, Math.round((await ask(connection)) * 1000)));
          answers += 1;
        } while (performance.now() < end);
      }),
    );
    return {
      answers,
      seconds: (performance.now() - started) / 1000,
      p50Micros: latencies.percentile(50),
      p99Micros: latencies.percentile(99),
    };
  } finally {
    for (const connection of opened) connection.close();
  }
}

/** How far from the end of the body the expected text may begin, in bytes. */
const TAIL_BYTES = 700;

/**
 * Returns what checks the answers of one load from one target. The first answer is looked at closely; the
 * others must have its length, and each the text expected of it: one walk through a long list per answer would
 * cost the generator more than the list costs the server.
 */
export function answerChecker(load: Load): (answer: RawResponse, asked: Case) => void {
  let length: number | undefined;
  return ({ status, body }, { value, expected }) => {
    if (length === undefined) {
      checkRecords(load, body.toString('utf8'));
      length = body.length;
    }
    const from = Math.max(0, body.length - TAIL_BYTES);
    if (status === 200 && body.length === length && body.indexOf(expected, from, 'latin1') >= 0) return;
    throw new Error(
      `${load.title}: asked with ${value}, expected ${String(length)} bytes with ${expected}, got ${String(status)} ` +
        `with ${String(body.length)} bytes: ${body.toString('utf8', from)}`,
    );
  };
}

function checkRecords({ title, records }: Load, body: string): void {
  if (records === undefined) return;
  // Every name of ours has letters beyond ASCII: one that lost them does not count.
  const found = body.match(/<(?:\w+:)?fullName>[^<]*[ğışŞÇçÖöÜüİ\u0600-\u06ff][^<]*<\//g)?.length ?? 0;
  if (found !== records)
    throw new Error(`${title}: ${String(found)} names in the answer: ${body.slice(0, 300)}`);
}
