// Each timer of the reverse proxy, on a clock that the tests move.

import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { exchange, get, withConnection } from '../../../../scripts/harness';
import { startOld, startProxy, startRawOld, useClosing } from './use-reverse-proxy';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const SECOND = 1000;

describe('the reverse proxy', () => {
  const closing = useClosing();
  // Sockets keep their own time; timers for the next turn stay real.
  beforeEach(() => {
    jest.useFakeTimers({
      doNotFake: [
        ...(['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] as const),
        ...(['performance', 'Date', 'hrtime', 'setInterval', 'clearInterval'] as const),
      ],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Lets time pass for the client of the old server, which looks at its clock twice a second. */
  async function pass(seconds: number): Promise<void> {
    for (let half = 0; half < 2 * seconds; half += 1) {
      jest.advanceTimersByTime(SECOND / 2);
      await nextTurn();
    }
  }

  it.each([
    ['NTLM TlRM', 1],
    ['Negotiate TlRM', 1],
    ['Basic YTpi', 2],
  ])('after a pause of a minute with the credentials %s uses connection %i', async (credentials, count) => {
    const old = closing(await startRawOld((_bytes, socket) => socket.write(OK)));
    const proxy = closing(await startProxy({ old: old.port }));
    await withConnection(proxy.port, async (caller) => {
      const ask = async (): Promise<void> => {
        caller.write(`GET /x HTTP/1.1\r\nHost: a\r\nAuthorization: ${credentials}\r\n\r\n`);
        await caller.readFinal();
      };
      await ask();
      await pass(60);
      await ask();
    });
    expect(old.connections).toHaveLength(count);
  });

  it('lets an answer take its time after an interim answer', async () => {
    let write: (piece: string) => void = () => undefined;
    const old = closing(
      await startOld((_request, response) => {
        response.writeProcessing();
        response.writeHead(200, { 'Content-Length': 9 });
        write = (piece) => response.write(piece);
        write('one');
      }),
    );
    const proxy = closing(await startProxy({ old: old.port, oldSilenceMs: 10 * SECOND }));
    const caller = connect(proxy.port, '127.0.0.1').setEncoding('latin1');
    let received = '';
    caller.on('data', (text: string) => (received += text));
    const until = async (text: string): Promise<void> => {
      while (!received.endsWith(text) && !caller.closed) await nextTurn();
    };
    caller.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('one');
    // Longer together than the old server may be silent.
    for (const piece of ['two', 'six']) {
      await pass(6);
      write(piece);
      await until(piece);
    }
    expect(received).toMatch(/\r\n\r\nonetwosix$/);
    expect(await proxy.untilPassed(1)).toMatchObject([{ outcome: 'answered' }]);
    caller.destroy();
  });
});

it('the reverse proxy closes when everything is recorded', async () => {
  const steps: string[] = [];
  let written = (): void => undefined;
  const recorder = {
    ...{ isOn: false, use: () => undefined, record: () => undefined },
    close: () =>
      new Promise<void>((resolve) => {
        written = () => {
          steps.push('recorded');
          resolve();
        };
      }),
  };
  const old = await startOld((_request, response) => response.end('ok'));
  const proxy = await startProxy({ old: old.port, recorder });
  await exchange(proxy.port, get('/x', 'a=1'));
  const closed = proxy.proxy.close().then(() => steps.push('closed'));
  await old.close();
  // More turns than the ends of its connections need.
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  written();
  await closed;
  expect(steps).toEqual(['recorded', 'closed']);
  recorder.close = () => Promise.resolve();
  await proxy.close();
});
