import type { Server } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { RequestHandler } from 'express';
import { pino } from 'pino';

import { exchange, type RawRequest, request, token11, withConnection } from '../../../../scripts/harness';
import { ForwardingReport } from '../../../../src/features/migration/reverse-proxy/forwarding-report';
import type { ReverseProxyOptions } from '../../../../src/features/migration/reverse-proxy/reverse-proxy';
import { Shadow } from '../../../../src/features/migration/reverse-proxy/shadow';
import { Metrics } from '../../../../src/telemetry';
import { startReference } from '../../../reference/service';
import { token11Is } from '../../../harness/asmx-answers';
import { Notes, ownServer, withToken } from './own-server';
import { startProxy, startOld, useClosing } from './use-reverse-proxy';

const closing = useClosing();

interface Given {
  readonly own?: Server;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  /** Port of the old server; default: the reference service. */
  readonly old?: number;
  readonly observeCompared?: ReverseProxyOptions['observeCompared'];
}

async function compared({ own, concurrency = 4, timeoutMs = 5000, old, ...others }: Given = {}) {
  const notes = new Notes();
  const shadow = new Shadow({ server: own ?? (await ownServer()), timeoutMs, concurrency, observer: notes });
  const port = old ?? closing(await startReference({ host: '127.0.0.1' })).port;
  const proxy = closing(await startProxy({ old: port, shadow, ...others }));
  return { notes, proxy, old: port, ask: (sent: RawRequest) => exchange(proxy.port, sent) };
}

/** Returns an answer without what differs between any two answers. */
function bytesOf({ head, body }: { readonly head: string; readonly body: Buffer }): string {
  return head.replace(/\r\nDate: [^\r]*/, '') + body.toString('latin1');
}

const TOKENS = (['soap11', 'soap12', 'get', 'post'] as const).map((binding) =>
  request(binding, 'PushNotificationMobile', 'GetTokenDevice', { id: 'DEV-1' }),
);

describe('a compared read', () => {
  it("gets the old server's exact answer, and an equal one from the new server, over every binding", async () => {
    const { notes, ask, old } = await compared();
    for (const sent of TOKENS) expect(bytesOf(await ask(sent))).toBe(bytesOf(await exchange(old, sent)));
    expect(await notes.until(4)).toEqual(
      ['soap11', 'soap12', 'get', 'post'].map((binding) => ({
        operation: 'GetTokenDevice',
        binding,
        verdict: 'bytes',
        places: [],
      })),
    );
  });

  it('reports a different new answer, while the caller gets the old one', async () => {
    const { notes, ask } = await compared({
      own: await ownServer(withToken(() => Promise.resolve('another'))),
    });
    expect((await ask(token11('DEV-1'))).text).toBe(token11Is('TOKEN-DEV-1').body);
    expect(await notes.until(1)).toMatchObject([
      { verdict: 'different', places: ['/Envelope/Body/GetTokenDeviceResponse/GetTokenDeviceResult'] },
    ]);
  });

  it('is counted for its caller, with its result', async () => {
    const metrics = new Metrics();
    const report = new ForwardingReport(pino({ level: 'silent' }), metrics, 'address', () => true);
    const tokens = ['another', 'TOKEN-DEV-1'];
    const { notes, ask } = await compared({
      own: await ownServer(withToken(() => Promise.resolve(tokens.shift() ?? ''))),
      observeCompared: report.noteCompared.bind(report),
    });
    for (const count of [1, 2]) {
      await ask(token11('DEV-1'));
      await notes.until(count);
    }
    expect(metrics.takeCallers()).toEqual(
      ['different', 'compared'].map((outcome) => ({
        ...{ caller: undefined, address: '127.0.0.1', agent: 'none', outcome },
        ...{ operation: 'GetTokenDevice', binding: 'soap11', requests: 1 },
      })),
    );
  });

  it('reports no differences that are intended', async () => {
    const { notes, ask } = await compared();
    const args = { school_base_url: 'echo', show_active: 'Y' };
    expect((await ask(request('soap11', 'NotificationNotes', 'GetStudentSchool', args))).status).toBe(500);
    expect(await notes.until(1)).toMatchObject([{ verdict: 'different', places: [] }]);
  });

  it('reaches the new server as sent, from the same address, after the caller has its answer', async () => {
    const seen: unknown[] = [];
    let isAnswered = false;
    const own = await ownServer(undefined, (message, _response, next) => {
      seen.push([
        isAnswered,
        message.method,
        message.url,
        message.headers['x-a'],
        message.socket.remoteAddress,
      ]);
      next();
    });
    const { notes, ask } = await compared({ own });
    const { path, headers = [], body = '' } = token11('DEV-1');
    const answered = ask({ path: `${path}?a=1`, headers: [...headers, ['X-A', 'ü']], body });
    isAnswered = (await answered).status === 200;
    await notes.until(1);
    expect(seen).toEqual([[expect.anything(), 'POST', `${path}?a=1`, 'ü', '127.0.0.1']]);
  });
});

it('compares only reads, and leaves other requests to the old server', async () => {
  let asked = 0;
  const own = await ownServer(undefined, (_message, _response, next) => {
    asked += 1;
    next();
  });
  const { notes, ask } = await compared({ own });
  await ask(request('soap11', 'AuthCodeSending', 'AuthCode', { code: '1', phone: '2' }));
  await ask(
    request('post', 'NotificationNotes', 'SendMarkNotes', { id: '1', id_class: '2', baseUrlSchool: '3' }),
  );
  await ask({ path: '/PushNotificationMobile.asmx?WSDL' });
  await ask(token11('DEV-1'));
  expect(await notes.until(1)).toMatchObject([{ operation: 'GetTokenDevice' }]);
  expect(asked).toBe(1);
});

describe('a broken new server', () => {
  const BROKEN: readonly (readonly [string, RequestHandler, string])[] = [
    ['hangs', () => undefined, 'late'],
    ['disconnects', (message) => message.socket.destroy(), 'failed'],
    [
      'disconnects in its answer',
      (_message, response) => void response.write('a', () => response.destroy()),
      'failed',
    ],
    ['answers endlessly', endless, 'too_large'],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'different',
    ],
  ];

  it.each(BROKEN)('that %s is never noticed by a caller', async (_what, handler, verdict) => {
    const { notes, ask, old } = await compared({ own: await ownServer([], handler), timeoutMs: 50 });
    for (let turn = 0; turn < 10; turn += 1) {
      expect(bytesOf(await ask(token11('DEV-1')))).toBe(bytesOf(await exchange(old, token11('DEV-1'))));
    }
    const noted = await notes.until(10);
    expect(new Set(noted.map((each) => each.verdict))).toContain(verdict);
  });

  it('gets a limited number of requests at once, and more when they have ended', async () => {
    const waiting: (() => void)[] = [];
    const own = await ownServer(
      withToken(
        (id) =>
          new Promise((resolve) =>
            waiting.push(() => {
              resolve(`TOKEN-${id ?? ''}`);
            }),
          ),
      ),
    );
    const { notes, ask } = await compared({ own, concurrency: 2 });
    for (let turn = 0; turn < 5; turn += 1) await ask(token11('DEV-1'));
    expect((await notes.until(3)).map(({ verdict }) => verdict)).toEqual(['dropped', 'dropped', 'dropped']);
    for (const answer of waiting) answer();
    await notes.until(5);
    await ask(token11('DEV-1'));
    for (const answer of waiting) answer();
    expect((await notes.until(6)).slice(3).map(({ verdict }) => verdict)).toEqual([
      'bytes',
      'bytes',
      'bytes',
    ]);
  });
});

function endless(_message: unknown, response: Parameters<RequestHandler>[1]): void {
  const piece = Buffer.alloc(65_536);
  const write = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
}

describe('the limits of comparisons', () => {
  it('exclude long requests, and long answers of the old server', async () => {
    const long = Buffer.alloc(600_000, 'x');
    const old = closing(
      await startOld((message, response) => void message.resume().on('end', () => response.end(long))),
    );
    const { notes, ask } = await compared({ old: old.port });
    expect((await ask(token11(`DEV-1${' '.repeat(20_000)}`))).body).toHaveLength(600_000);
    expect((await ask(token11('DEV-1'))).body.equals(long)).toBe(true);
    expect((await notes.until(2)).map(({ verdict }) => verdict)).toEqual(['too_large', 'too_large']);
  });

  it.each([
    ['shorter than the limit', 524_288, 'different'],
    ['longer than the limit', 524_289, 'too_large'],
  ])('apply to the decompressed size of an answer that is %s', async (_what, length, verdict) => {
    const packed = gzipSync(Buffer.alloc(length, 'x'));
    const old = closing(
      await startOld(
        (message, response) =>
          void message.resume().on('end', () => {
            response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed);
          }),
      ),
    );
    const { notes, ask } = await compared({ old: old.port });
    expect((await ask(token11('DEV-1'))).body.equals(packed)).toBe(true);
    expect(await notes.until(1)).toMatchObject([{ verdict }]);
  });

  it('free a place after a comparison failed', async () => {
    const notes = new Notes();
    const compare = jest.spyOn(notes, 'compared').mockImplementation(() => {
      throw new Error('The disk is full.');
    });
    const shadow = new Shadow({
      server: await ownServer(),
      timeoutMs: 5000,
      concurrency: 1,
      observer: notes,
    });
    const old = closing(await startReference({ host: '127.0.0.1' }));
    const proxy = closing(await startProxy({ old: old.port, shadow }));
    await exchange(proxy.port, token11('DEV-1'));
    expect(await notes.until(1)).toMatchObject([{ verdict: 'failed' }]);
    compare.mockRestore();
    await exchange(proxy.port, token11('DEV-1'));
    expect((await notes.until(2))[1]).toMatchObject({ verdict: 'bytes' });
  });

  it('free a place after the old server failed, or the caller disconnected', async () => {
    let isBroken = true;
    const old = closing(
      await startOld((message, response) => {
        if (isBroken) message.socket.destroy();
        else response.end('ok');
      }),
    );
    const { notes, ask, proxy } = await compared({ old: old.port, concurrency: 1 });
    for (let turn = 0; turn < 3; turn += 1) expect((await ask(token11('DEV-1'))).status).toBe(502);
    isBroken = false;
    await withConnection(proxy.port, (connection) => {
      connection.send(token11('DEV-1'));
      return Promise.resolve();
    });
    await proxy.untilPassed(4);
    expect((await ask(token11('DEV-1'))).text).toBe('ok');
    expect((await notes.until(1)).at(-1)).toMatchObject({ verdict: 'different' });
  });
});
