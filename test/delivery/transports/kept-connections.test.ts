// Connections to gateways that close them at odd times.

import { once, setMaxListeners } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { endServer, listen, portOf } from '../../../scripts/harness';
import { Random } from '../../harness/random';
import { useGateways } from '../gateways/use-gateways';
import { SMS } from './transport-kit';

const { signal } = new AbortController();
setMaxListeners(0, signal);
const CODES = 500;
const AT_ONCE = 16;

interface Behaviour {
  /** Header lines of each answer. */
  readonly headers?: string;
  /** Decides whether to answer a request, by its number on the connection, counted from 1. */
  readonly answers?: (number: number) => boolean;
  /** Called after each answer. */
  readonly answered?: (socket: Socket) => void;
}

/** A gateway that accepts every request that it answers, and closes connections when it likes. */
class Gateway {
  readonly connections: Socket[] = [];
  readonly #server: Server;

  constructor({ headers = '', answers = () => true, answered = () => undefined }: Behaviour) {
    this.#server = createServer((socket) => {
      this.connections.push(socket);
      let [number, text] = [0, ''];
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString();
        if (!text.endsWith('}')) return;
        text = '';
        number += 1;
        if (!answers(number)) {
          socket.destroy();
          return;
        }
        socket.write(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 2\r\n\r\n{}`, () => answered(socket));
      });
    });
  }

  async start(): Promise<string> {
    await listen(this.#server);
    return `http://127.0.0.1:${String(portOf(this.#server))}/sms`;
  }

  async stop(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    await endServer(this.#server);
  }
}

describe('connections to an SMS gateway', () => {
  const open = useGateways();
  let gateway: Gateway;
  const start = (behaviour: Behaviour): Promise<string> => (gateway = new Gateway(behaviour)).start();
  afterEach(async () => {
    jest.useRealTimers();
    await gateway.stop();
  });

  it('carry one SMS each, so that none is lost when the gateway closes at the second request', async () => {
    const transport = open({ url: await start({ answers: (number) => number === 1 }) });
    const outcomes = [];
    for (let at = 0; at < 10; at += 1) outcomes.push((await transport.send(SMS, signal)).kind);
    await transport.close();
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => 'sent'));
  });

  it('lose no SMS when the gateway closes them at odd times', async () => {
    const random = new Random(1);
    const answered = (socket: Socket): void => {
      const end = (): void => void socket.destroy();
      random.pick<() => unknown>([end, () => setImmediate(end), () => setTimeout(end, random.below(3))])();
    };
    const transport = open({ url: await start({ headers: 'Keep-Alive: timeout=5\r\n', answered }) });
    const outcomes: string[] = [];
    const sendAll = async (): Promise<void> => {
      while (outcomes.length < CODES) outcomes.push((await transport.send(SMS, signal)).kind);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
    await transport.close();
    expect(outcomes.filter((kind) => kind !== 'sent')).toEqual([]);
  });

  it('that close under a request leave it unknown whether the SMS was sent, and say so', async () => {
    const transport = open({ url: await start({ answers: () => false }) });
    const outcome = await transport.send(SMS, signal);
    await transport.close();
    expect(outcome).toMatchObject({ kind: 'unknown', reason: { code: 'connection_closed' } });
  });

  it.each([
    { announced: 'no timeout', headers: '', keptMs: 1000 },
    { announced: '5 seconds', headers: 'Keep-Alive: timeout=5\r\n', keptMs: 4000 },
    { announced: '1 second', headers: 'Keep-Alive: timeout=1\r\n', keptMs: 0 },
  ])(
    'are reused for $keptMs ms where $announced is announced and repeated ids are recognized',
    async ({ headers, keptMs }) => {
      const url = await start({ headers });
      const transport = open({ url, idempotent: true, connections: 1, headers: { 'X-Id': '{id}' } });
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
      const send = async (): Promise<void> => {
        await transport.send(SMS, signal);
        // The library begins to count idle time in a turn of its own.
        for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      };
      await send();
      if (keptMs > 0) {
        await send();
        jest.advanceTimersByTime(keptMs - 1);
        await send();
        expect(gateway.connections).toHaveLength(1);
      }
      const [first] = gateway.connections;
      const closed = first?.closed === true ? undefined : first && once(first, 'close');
      jest.advanceTimersByTime(keptMs);
      await closed;
      await send();
      expect(gateway.connections).toHaveLength(2);
      await transport.close();
    },
  );
});
