import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

import { type Answer, AnswerReader } from '..';
import { answerChecker } from './check-answer';
import type { Case, Load } from './loads';

export interface LoadOptions {
  readonly port: number;
  readonly seconds: number;
  readonly connections: number;
  /** Of so many connections one asks: one of as many processes is busy then, for they get connections in turn. */
  readonly askEvery?: number;
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

/** Told of each answer, what was asked, and how long it took in milliseconds. */
type OnAnswer = (answer: Answer, asked: Case, tookMs: number) => void;

/**
 * Sends requests of a load over some connections for a time, one after the other on each, and checks every answer.
 * Before that they are opened one by one, and each asks once: a server of several processes hands them round.
 *
 * @param ready - called when every connection had its first answer; the time begins when it has resolved
 * @throws Error for the first answer that is not the expected one
 */
export async function runLoad(
  load: Load,
  { port, seconds, connections, askEvery = 1, fixed }: LoadOptions,
  ready: () => Promise<unknown> = () => Promise.resolve(),
): Promise<LoadResult> {
  const sockets: Socket[] = [];
  const checkAnswer = answerChecker(load);
  const fixedCase = fixed ? load.caseOf(0) : undefined;
  const latencies = createHistogram();
  let answers = 0;
  const check: OnAnswer = (answer, asked) => {
    checkAnswer(answer, fixedCase ?? asked);
  };
  const count: OnAnswer = (answer, asked, tookMs) => {
    latencies.record(Math.max(1, Math.round(tookMs * 1000)));
    check(answer, asked, tookMs);
    answers += 1;
  };

  try {
    while (sockets.length < connections) {
      const socket = await open(port);
      sockets.push(socket);
      await askUntil(0, socket, load, check);
    }
    const asking = sockets.filter((_, at) => at % askEvery === 0);
    await ready();
    const started = performance.now();
    const end = started + seconds * 1000;
    await Promise.all(asking.map((socket) => askUntil(end, socket, load, count)));
    return {
      answers,
      seconds: (performance.now() - started) / 1000,
      p50Micros: latencies.percentile(50),
      p99Micros: latencies.percentile(99),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/**
 * Asks over one connection, at least once.
 *
 * @param end - moment on the clock of `performance.now()`, in milliseconds
 */
function askUntil(end: number, socket: Socket, load: Load, onAnswer: OnAnswer): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader();
    let asked: Case;
    let sentAt: number;
    const send = (): void => {
      asked = load.caseOf(requests++);
      sentAt = performance.now();
      socket.write(load.before + asked.value + load.after, 'latin1');
    };
    const onClose = (): void => {
      reject(socket.errored ?? new Error('The server closed a connection.'));
    };
    const onData = (bytes: Buffer): void => {
      try {
        const answer = reader.add(bytes);
        if (answer === undefined) return;
        const now = performance.now();
        onAnswer(answer, asked, now - sentAt);
        if (now < end) send();
        else {
          socket.off('data', onData).off('close', onClose);
          resolve();
        }
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    if (socket.destroyed) {
      onClose();
      return;
    }
    socket.on('data', onData).once('close', onClose);
    send();
  });
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  // Whoever waits for an answer hears of it by the close that follows; between two of them nobody listens.
  socket.on('error', () => undefined);
  return socket;
}
