import { once } from 'node:events';
import fs from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { formatRequest, RawConnection } from '../../scripts/harness';
import { loadConfig } from '../../src/config';
import { Reloader } from '../../src/service/reload';
import { endLate, onSignals } from '../../src/service/start';
import { openStore } from '../../src/store';
import type { ServiceLog } from '../../src/telemetry';
import { seen, token11Is } from '../harness/asmx-answers';
import { beginRequest } from './begin-request';
import { listensBeforeGreeting } from './greeting-order';
import { databaseIn } from './stored-messages';
import { useServicesHere } from './use-services-here';

const STOPPING = 'stopping after the running requests; a second signal stops immediately';

describe('a stop', () => {
  const services = useServicesHere();

  it('is possible before the service prints that Ctrl-C stops it', async () => {
    expect(await listensBeforeGreeting(() => services.start())).toEqual({ SIGINT: true, SIGTERM: true });
  });

  it('treats simultaneous signals, as from a terminal and through npm, as one, and is not ready meanwhile', async () => {
    const service = await services.start();
    const { connection, rest } = await beginRequest(service);
    // Two kinds, because the system joins two of one kind that are still on their way.
    service.signal('SIGINT');
    service.signal('SIGTERM');
    await service.line(STOPPING);
    // In one piece: behind its last answer the service closes the connection.
    connection.write(Buffer.concat([rest, formatRequest({ path: '/readyz' }, 'h')]));
    expect((await connection.readFinal()).status).toBe(200);
    const answer = await connection.readFinal();
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toEqual({ status: 'draining' });
    expect(await service.ended()).toEqual({ code: 0, signal: null });
  });

  it('answers the requests in flight, accepts no new connections, and closes idle ones', async () => {
    const service = await services.start();
    const idle = await RawConnection.open(service.port);
    const begun = await Promise.all(Array.from({ length: 16 }, () => beginRequest(service)));
    service.signal('SIGINT');
    await service.line(STOPPING, { signal: 'SIGINT' });
    // It listens no longer from the next turn on.
    await nextTurn();
    const refused = connect(service.port, '127.0.0.1');
    await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    for (const { connection, rest } of begun) connection.write(rest);
    const answers = await Promise.all(begun.map(({ connection }) => connection.readFinal()));
    for (const answer of answers) expect(seen(answer)).toEqual(token11Is('sample-token-01'));
    await idle.readUntilClosed();
    expect(await service.ended()).toEqual({ code: 0, signal: null });
    expect(service.output.match(/"msg":"request"/g)).toHaveLength(16);
    await service.line('stopped');
  });

  it('aborts requests that do not finish in time, and still exits with 0', async () => {
    const service = await services.start({ settings: { REQUEST_TIMEOUT_SECONDS: '10' } });
    const { connection } = await beginRequest(service);
    service.signal('SIGTERM');
    // The time for the requests is over at once: four fifths of the time for a stop.
    const { setTimeout: start } = globalThis;
    const quick = (...[run, ms, ...args]: Parameters<typeof start>) =>
      start(run, ms === 8000 ? 0 : ms, ...args);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(quick);
    expect(await service.ended()).toEqual({ code: 0, signal: null });
    jest.restoreAllMocks();
    await service.line('aborted requests that did not finish in time');
    expect(await connection.readUntilClosed()).toHaveLength(0);
    expect(service.output).not.toContain('"outcome":"ok"');
  });

  it('ends the watch of files', async () => {
    const watch = jest.spyOn(Reloader.prototype, 'watch');
    try {
      const service = await services.start({ settings: { RELOAD_ON_CHANGE: 'true' } });
      await service.stop();
      expect(watch).toHaveBeenCalledTimes(1);
      await watch.mock.results[0]?.value;
    } finally {
      watch.mockRestore();
    }
  });

  it('removes the node from the list, so that no other node reports it silent', async () => {
    const folder = join(services.folder, 'another');
    const service = await services.start({ settings: { DATA_DIR: folder } });
    const store = await openStore({ url: databaseIn(folder), mustExist: true });
    try {
      // It reports itself once it has started.
      while ((await store.nodes.list()).length === 0) await nextTurn();
      await service.stop();
      expect(await store.nodes.list()).toEqual([]);
    } finally {
      await store.close();
    }
  });
});

describe('the signals of a process', () => {
  const log = { logger: { info: jest.fn(), warn: jest.fn(), error: jest.fn() }, flushNow: jest.fn() };
  // The methods that are used.
  const serviceLog = log as unknown as ServiceLog;
  let exit: jest.SpyInstance;
  beforeEach(() => {
    exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as () => never);
    for (const each of [...Object.values(log.logger), log.flushNow]) each.mockClear();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** Collects the listeners of signals, and adds none to this process. */
  function collectListeners(): ReadonlyMap<unknown, (signal: string) => void> {
    const listeners = new Map<unknown, (signal: string) => void>();
    jest.spyOn(process, 'on').mockImplementation(((event: unknown, listener: () => void) => {
      listeners.set(event, listener);
      return process;
    }) as typeof process.on);
    return listeners;
  }

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('stop it, and a second %s half a second later ends it with %d', (signal, code) => {
    const listeners = collectListeners();
    jest.useFakeTimers();
    const [stop, beforeAbort] = [jest.fn(), jest.fn()];
    onSignals(serviceLog, stop, beforeAbort);
    const send = listeners.get(signal);
    send?.(signal);
    expect(stop).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(499);
    send?.(signal);
    expect(log.logger.info.mock.calls).toEqual([[{ signal }, STOPPING]]);
    expect(exit).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    send?.(signal);
    expect(log.logger.warn.mock.calls).toEqual([[{ signal }, 'stopping immediately']]);
    expect([stop, beforeAbort, log.flushNow].map((each) => each.mock.calls.length)).toEqual([1, 1, 1]);
    expect(exit.mock.calls).toEqual([[code]]);
  });

  it('include that of Ctrl-Break on Windows', () => {
    const listeners = collectListeners();
    const stop = jest.fn();
    onSignals(serviceLog, stop);
    listeners.get('SIGBREAK')?.('SIGBREAK');
    expect(stop).toHaveBeenCalledTimes(1);
  });

  it('end it with 1 if the stop takes longer than it may', () => {
    jest.useFakeTimers();
    const beforeEnd = jest.fn();
    endLate(loadConfig({ REQUEST_TIMEOUT_SECONDS: '2' }), serviceLog, beforeEnd);
    jest.advanceTimersByTime(1999);
    expect(exit).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(log.logger.error.mock.calls).toEqual([[{ seconds: 2 }, 'not stopped in time']]);
    expect([beforeEnd, log.flushNow].map((each) => each.mock.calls.length)).toEqual([1, 1]);
    expect(exit.mock.calls).toEqual([[1]]);
  });
});

describe('the start of a process', () => {
  const services = useServicesHere();
  const restore: (() => void)[] = [];
  afterEach(() => {
    for (const each of restore.splice(0)) each();
  });
  const { readFileSync } = fs;
  const limited = (soft: number | string) => {
    const spy = jest.spyOn(fs, 'readFileSync').mockImplementation((path, options) => {
      // As Linux writes it.
      if (path !== '/proc/self/limits') return readFileSync(path, options);
      return `Max processes             63498                63498                processes\nMax open files            ${String(soft).padEnd(20)} 524288               files\n`;
    });
    restore.push(spy.mockRestore.bind(spy));
  };

  it('lowers MAX_CONNECTIONS to the open file limit, with a warning', async () => {
    limited(200);
    const service = await services.start();
    expect(await service.line('the open file limit is too low')).toMatchObject({
      descriptors: 200,
      connections: 104,
    });
  });

  it('keeps 16 connections at least, and all of them without a limit', async () => {
    limited(20);
    await (await services.start()).line('the open file limit is too low', { connections: 16 });
    limited('unlimited');
    expect((await services.start()).output).not.toContain('open file limit');
  });

  it('fails with the fatal findings, and logs the others', async () => {
    await expect(services.start({ settings: { PUSH_CHANNEL: 'fcm' } })).rejects.toThrow(
      'PUSH_CHANNEL=fcm needs FCM_SERVICE_ACCOUNT.',
    );
    const service = await services.start();
    await service.line('SMS are not sent (SMS_CHANNEL=file)', { level: 'warn' });
  });
});
