import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';

import { exchange, get, token11 } from '../../scripts/harness';
import { readSettings } from '../../src/config';
import type { FromChild, ToChild } from '../../src/service/processes/process-pool';
import { runChild } from '../../src/service/run-app';
import type { ServiceLog } from '../../src/telemetry';
import { useFolder } from '../harness/use-folder';
import { timersOf } from './use-services-here';

type Listener = (message: unknown) => void;
const EVENTS = ['message', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const listenersNow = () => EVENTS.flatMap((event) => process.listeners(event as 'SIGTERM'));

/** A certificate that cannot be read: a process that does not listen needs none. */
const MISSING = { TLS_CERT_FILE: 'missing.crt', TLS_KEY_FILE: 'missing.key' };

/** Runs the two kinds of child processes in this one. What they send to the primary process is gathered. */
describe('the child processes of the service', () => {
  const folder = useFolder();
  const ACCESS_FILE = join(folder, 'access.json');
  const admit = (...operations: readonly string[]): void => {
    writeFileSync(ACCESS_FILE, JSON.stringify({ anonymous: { operations } }));
  };
  admit('AuthCode', 'GetTokenDevice');
  const settings = readSettings({ PORT: '0', DATA_DIR: join(folder, 'data'), ACCESS_FILE });
  const sent: FromChild[] = [];
  const timers: NodeJS.Timeout[] = [];
  const send = process.send?.bind(process);
  const before = listenersNow();
  let onSent = (): void => undefined;
  let web: Listener | undefined;
  let delivery: Listener | undefined;

  let onWritten = (): void => undefined;
  const written = new Promise<void>((resolve) => (onWritten = resolve));
  const log: ServiceLog = {
    logger: pino({}, { write: (line) => (line.includes('"state":"written"') ? onWritten() : undefined) }),
    isTerminal: false,
    writeLine: () => undefined,
    writeLines: () => undefined,
    flush: () => Promise.resolve(),
    flushNow: () => undefined,
  };

  async function run(kind: 'web' | 'delivery'): Promise<Listener | undefined> {
    await runChild(kind, kind === 'web' ? settings.config : { ...settings.config, ...MISSING }, log);
    return process.listeners('message').at(-1) as Listener | undefined;
  }

  /** Waits for the first message of a kind since the last call. */
  async function answer<Kind extends FromChild['kind']>(kind: Kind): Promise<FromChild & { kind: Kind }> {
    for (;;) {
      const at = sent.findIndex((each) => each.kind === kind);
      if (at >= 0) return sent.splice(0, at + 1)[at] as FromChild & { kind: Kind };
      await new Promise<void>((resolve) => (onSent = resolve));
    }
  }

  const tell = (child: Listener | undefined, message: ToChild): void => {
    timers.push(...timersOf(() => child?.(message)));
  };

  let port = 0;
  beforeAll(async () => {
    process.send = (message: FromChild) => {
      sent.push(message);
      onSent();
      return true;
    };
    Object.defineProperty(process, 'connected', { value: true, configurable: true, writable: true });
    web = await run('web');
    ({ port } = (await answer('ready')).served);
    delivery = await run('delivery');
  });
  afterAll(() => {
    if (send === undefined) delete process.send;
    else process.send = send;
    for (const event of EVENTS)
      for (const listener of process.listeners(event as 'SIGTERM'))
        if (!before.includes(listener)) process.removeListener(event, listener);
    for (const timer of timers) clearTimeout(timer);
  });

  it('report when they are ready: one listens, the other does not', async () => {
    expect((await answer('ready')).served).toMatchObject({ port: 0, services: [] });
    expect((await exchange(port, token11('DEV-1'))).text).toContain('sample-token-01');
    expect((await exchange(port, { path: '/healthz' })).status).toBe(200);
  });

  it('announce new messages, and deliver messages that other processes announce', async () => {
    const { status } = await exchange(port, get('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233'));
    expect(status).toBe(200);
    expect(await answer('new-message')).toEqual({ kind: 'new-message', channel: 'sms' });
    tell(delivery, { kind: 'new-message', channel: 'sms' });
    const outbox = join(settings.config.DATA_DIR, 'outbox', 'sms.jsonl');
    await written;
    expect(readFileSync(outbox, 'utf8')).toContain('5551112233');
  });

  it('send their metrics', async () => {
    tell(web, { kind: 'send-metrics' });
    expect((await answer('metrics')).snapshot).toContainEqual(
      expect.objectContaining({ name: 'service_requests_total' }),
    );
  });

  it('reload with the settings of the primary process', async () => {
    tell(web, { kind: 'reload', texts: settings.texts });
    expect(await answer('reloaded')).toEqual({ kind: 'reloaded', wrong: [] });
  });

  it('catch up with a reload that they missed, without an answer that the next one would take for its own', async () => {
    admit('AuthCode');
    tell(web, { kind: 'catch-up', texts: settings.texts });
    expect((await exchange(port, token11('DEV-1'))).status).toBe(403);
    writeFileSync(ACCESS_FILE, '{');
    tell(web, { kind: 'catch-up', texts: settings.texts });
    admit('GetTokenDevice');
    tell(web, { kind: 'reload', texts: settings.texts });
    expect(await answer('reloaded')).toEqual({ kind: 'reloaded', wrong: [] });
    expect((await exchange(port, token11('DEV-1'))).status).toBe(200);
  });

  it('send nothing once the primary process has gone', () => {
    Object.assign(process, { connected: false });
    tell(web, { kind: 'reload', texts: settings.texts });
    Object.assign(process, { connected: true });
    expect(sent).not.toContainEqual(expect.objectContaining({ kind: 'reloaded' }));
  });

  it('show alerts', async () => {
    tell(web, { kind: 'alerts', alerts: ['FileChannel'] });
    expect((await exchange(port, { path: '/readyz' })).text).toContain('FileChannel');
  });

  it('ignore signals, and stop when the primary process tells them', async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      for (const listener of process.listeners(signal)) if (!before.includes(listener)) listener(signal);
    for (const child of [web, delivery]) {
      const exit = new Promise((resolve) => {
        jest.spyOn(process, 'exit').mockImplementation(((code) => {
          resolve(code);
        }) as typeof process.exit);
      });
      expect((await exchange(port, { path: '/healthz' }).catch(() => undefined))?.status).toBe(
        child === web ? 200 : undefined,
      );
      tell(child, { kind: 'stop' });
      expect(await exit).toBe(0);
    }
    jest.restoreAllMocks();
  });
});
