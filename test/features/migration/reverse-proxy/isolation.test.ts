import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { StringArguments } from '../../../harness/recording-endpoints';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { EndpointDefinition } from '../../../../src/asmx';
import { Shadow } from '../../../../src/features/migration/reverse-proxy/shadow';
import { callAtOnce, exchange, RawClient, type RawRequest, request } from '../../../../scripts/harness';
import { REFERENCE_ENDPOINTS } from '../../../reference/endpoints';
import { startReference } from '../../../reference/service';
import { startAsmxServer } from '../../../harness/asmx-server';
import { Notes, ownServer, withToken } from './own-server';
import { startProxy, startOld, useClosing, useCutOver } from './use-reverse-proxy';

/** How many requests are sent in each of these tests; DOOR_REQUESTS=10000 for a long run. */
const REQUESTS = Number(process.env['DOOR_REQUESTS'] ?? 160);
const CALLERS = 8;
const TIMEOUT_MS = 30_000 + REQUESTS * 20;

const closing = useClosing();
const writeModes = useCutOver();

const BINDINGS = ['soap11', 'soap12', 'get', 'post'] as const;
const READS: readonly RawRequest[] = BINDINGS.flatMap((binding) => [
  request(binding, 'PushNotificationMobile', 'GetTokenDevice', { id: `DEV-${binding}` }),
  request(binding, 'NotificationNotes', 'GetStudentSchool', {
    school_base_url: 'http://a',
    show_active: '89',
  }),
]);

const withoutDate = (head: string): string => head.replace(/\r\nDate: [^\r]*/, '');

function* numbers(): Generator<number> {
  for (let number = 0; number < REQUESTS; number += 1) yield number;
}

async function callers(port: number): Promise<readonly RawClient[]> {
  const clients = Array.from({ length: CALLERS }, () => new RawClient(port));
  await Promise.all(clients.map((client) => client.connection()));
  return clients;
}

describe('a broken new server under load', () => {
  const never = new Promise<never>(() => undefined);
  const SIDES: readonly (readonly [string, () => Promise<Server>])[] = [
    ['dead', () => ownServer(undefined, (message) => message.socket.destroy())],
    ['hung', () => ownServer(withToken(() => never))],
    ['slow', () => ownServer(undefined, (_message, _response, next) => void setTimeout(next, 20))],
    ['wrong', () => ownServer(withToken(() => Promise.reject(new Error('broken'))))],
  ];

  it.each(SIDES)(
    'that is %s changes no byte of any answer',
    async (_what, side) => {
      const old = closing(await startReference({ host: '127.0.0.1' }));
      const notes = new Notes();
      const shadow = new Shadow({ server: await side(), timeoutMs: 100, concurrency: 4, observer: notes });
      const proxy = closing(await startProxy({ old: old.port, shadow }));
      const direct = await Promise.all(
        READS.map((sent) =>
          exchange(old.port, { ...sent, keepAlive: true, headers: [...(sent.headers ?? []), ['Host', 'a']] }),
        ),
      );
      const clients = await callers(proxy.port);
      let wrong = 0;
      await callAtOnce(clients, numbers(), async (client, number) => {
        const sent = READS[number % READS.length] ?? { path: '/' };
        const answer = await client.ask({ ...sent, headers: [...(sent.headers ?? []), ['Host', 'a']] });
        const expected = direct[number % READS.length];
        const isSame =
          withoutDate(answer.head) === withoutDate(expected?.head ?? '') &&
          answer.body.equals(expected?.body ?? Buffer.alloc(0));
        if (!isSame) wrong += 1;
      });
      for (const client of clients) client.close();
      expect(wrong).toBe(0);
      // Each was compared, or counted as not.
      expect((await notes.until(REQUESTS)).length).toBe(REQUESTS);
    },
    TIMEOUT_MS,
  );
});

describe('cutover under load', () => {
  /** The reference, with a note of each code that it is to send. */
  function sending(codes: string[]): readonly EndpointDefinition[] {
    return REFERENCE_ENDPOINTS.map((endpoint) =>
      'AuthCode' in endpoint.handlers
        ? {
            ...endpoint,
            handlers: {
              AuthCode: async ({ code }: StringArguments) => {
                await nextTurn();
                codes.push(code ?? '');
              },
            },
          }
        : endpoint,
    );
  }

  it(
    'fails no request, and sends every code exactly once',
    async () => {
      const [oldCodes, newCodes]: [string[], string[]] = [[], []];
      const old = closing(await startAsmxServer({ endpoints: sending(oldCodes), host: '127.0.0.1' }));
      const cutOverFile = writeModes({});
      const notes = new Notes();
      const shadow = new Shadow({
        server: await ownServer(),
        timeoutMs: 1000,
        concurrency: 4,
        observer: notes,
      });
      const proxy = closing(
        await startProxy({
          old: old.port,
          cutoverFile: cutOverFile,
          shadow,
          asmx: { endpoints: sending(newCodes) },
        }),
      );
      const modes = [
        {},
        { AuthCode: 'new', GetTokenDevice: 'new' },
        { AuthCode: { soap12: 'new', get: 'new' }, GetTokenDevice: { soap11: 'fallback', post: 'old' } },
        'broken',
        { AuthCode: 'old', GetTokenDevice: 'fallback' },
      ];
      const clients = await callers(proxy.port);
      const statuses = new Set<number>();
      await callAtOnce(clients, numbers(), async (client, number) => {
        if (number % 7 === 0) {
          writeModes(modes[(number / 7) % modes.length]);
          try {
            proxy.proxy.reload({ RECORD_FILE: undefined });
          } catch {
            // The broken one.
          }
        }
        const binding = BINDINGS[number % BINDINGS.length] ?? 'get';
        const sent =
          number % 2 === 0
            ? request(binding, 'AuthCodeSending', 'AuthCode', { code: String(number), phone: '905321112233' })
            : request(binding, 'PushNotificationMobile', 'GetTokenDevice', { id: 'DEV-1' });
        statuses.add((await client.ask(sent)).status);
      });
      for (const client of clients) client.close();
      expect([...statuses]).toEqual([200]);
      const codes = [...oldCodes, ...newCodes].map(Number).sort((a, b) => a - b);
      expect(codes).toEqual([...numbers()].filter((number) => number % 2 === 0));
      expect(Math.min(oldCodes.length, newCodes.length)).toBeGreaterThan(REQUESTS / 20);
    },
    TIMEOUT_MS,
  );
});

describe('a long body', () => {
  const PIECE = Buffer.alloc(65_536, 'abc\r\n');
  const PIECES = 1024;
  /** The system keeps a few MB of two connections. */
  const MAX_BYTES = 24 * 1024 * 1024;
  /** So many turns of the event loop without any progress are a standstill. */
  const STILL_TURNS = 500;

  it.each([
    ['with its length', `Content-Length: ${String(PIECE.length * PIECES)}`, (piece: Buffer) => [piece]],
    [
      'in chunks',
      'Transfer-Encoding: chunked',
      (piece: Buffer) => [`${piece.length.toString(16)}\r\n`, piece, '\r\n'],
    ],
  ])(
    '%s is held back while the old server does not read it, and then arrives complete',
    async (_what, line, framed) => {
      let goOn: () => void = () => undefined;
      const hash = createHash('sha256');
      const old = closing(
        await startOld((message, response) => {
          goOn = () => {
            message.on('data', (piece: Buffer) => hash.update(piece)).on('end', () => response.end('ok'));
          };
        }),
      );
      const proxy = closing(await startProxy({ old: old.port }));
      const caller = connect(proxy.port, '127.0.0.1');
      caller.write(`POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}\r\n\r\n`);
      const expected = createHash('sha256');
      const answered = new Promise<string>((resolve) => {
        let text = '';
        caller
          .on('data', (bytes) => (text += bytes.toString()))
          .on('close', () => {
            resolve(text);
          });
      });
      let still = 0;
      let mostHeld = 0;
      for (let sent = 0; sent < PIECES; sent += 1) {
        while (caller.writableNeedDrain) {
          const before = caller.bytesWritten - caller.writableLength;
          await nextTurn();
          still = caller.bytesWritten - caller.writableLength > before ? 0 : still + 1;
          if (still < STILL_TURNS || mostHeld > 0) continue;
          mostHeld = before;
          goOn();
        }
        expected.update(PIECE);
        for (const part of framed(PIECE)) caller.write(part);
      }
      caller.write(line.startsWith('Transfer') ? '0\r\n\r\n' : '');
      expect(await answered).toMatch(
        /^HTTP\/1\.1 200 OK\r\n[^]*ok\r\n0\r\n\r\n$|^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/,
      );
      expect(hash.digest('hex')).toBe(expected.digest('hex'));
      expect(mostHeld).toBeGreaterThan(0);
      expect(mostHeld).toBeLessThan(MAX_BYTES);
    },
  );
});
