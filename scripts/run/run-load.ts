import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

import { AnswerReader } from './answer-reader';
import { answerChecker } from './check-answer';
import { type Case, itemAt, type Load } from './loads';

export interface LoadOptions {
  /** The connections go to them in turn. */
  readonly ports: readonly number[];
  readonly seconds: number;
  readonly connections: number;
  /** The server has one answer for all requests: that to the load's case 0. */
  readonly fixed: boolean;
}

export interface LoadResult {
  readonly answers: number;
  readonly seconds: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
}

/** Requests that this process has sent: no two have the same number. */
let requests = 0;

/**
 * Sends requests of a load over some connections for a time, one after the other on each, and checks every answer.
 *
 * @param connected - called when all connections stand; the first request goes out when it has resolved
 * @throws Error for the first answer that is not the expected one
 */
export async function runLoad(
  load: Load,
  { ports, seconds, connections, fixed }: LoadOptions,
  connected: () => Promise<unknown> = () => Promise.resolve(),
): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, (_, at) => open(itemAt(ports, at))));
  await connected();
  const latencies = createHistogram();
  const check = answerChecker(load);
  const fixedCase = fixed ? load.caseOf(0) : undefined;
  const started = performance.now();
  const end = started + seconds * 1000;
  let answers = 0;

  const converse = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      const reader = new AnswerReader();
      let asked: Case;
      let sentAt: number;
      const send = (): void => {
        asked = load.caseOf(requests++);
        sentAt = performance.now();
        socket.write(load.before + asked.value + load.after, 'latin1');
      };
      socket.on('data', (bytes) => {
        try {
          const answer = reader.add(bytes);
          if (answer === undefined) return;
          const now = performance.now();
          latencies.record(Math.max(1, Math.round((now - sentAt) * 1000)));
          check(answer, fixedCase ?? asked);
          answers += 1;
          if (now < end) send();
          else resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      socket.once('error', reject);
      socket.once('close', () => {
        reject(new Error('The server closed a connection.'));
      });
      send();
    });

  try {
    await Promise.all(sockets.map(converse));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return {
    answers,
    seconds: (performance.now() - started) / 1000,
    p50Micros: latencies.percentile(50),
    p99Micros: latencies.percentile(99),
  };
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}
