import { chmodSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import pino from 'pino';

import { ServiceManager } from '../../src/service/service-manager';
import { useFolder } from '../harness/use-folder';

const FOLDER = useFolder();
const NOTIFICATIONS = join(FOLDER, 'notifications');
const SYSTEMD = {
  NOTIFY_SOCKET: '/run/systemd/notify',
  PATH: [FOLDER, process.env['PATH']].join(delimiter),
};

// Replaces systemd's own program: `npm run test:packaging` has the real one, and systemd.
function setNotifier(script: string): void {
  const notifier = join(FOLDER, 'systemd-notify');
  writeFileSync(notifier, `#!/bin/sh\n${script}\n`);
  chmodSync(notifier, 0o755);
}

beforeEach(() => {
  writeFileSync(NOTIFICATIONS, '');
  setNotifier(`echo "$@" >> '${NOTIFICATIONS}'`);
});

const notifications = (): readonly string[] => readFileSync(NOTIFICATIONS, 'utf8').split('\n').slice(0, -1);
const silent = pino({ level: 'silent' });

describe('systemd', () => {
  it('is notified of start, reload and stop, in that order', async () => {
    const manager = new ServiceManager(SYSTEMD, silent);
    void manager.ready();
    const before = process.hrtime.bigint() / 1000n;
    void manager.reloading();
    void manager.ready();
    await manager.stopping(30_000);
    const [ready, reloading = '', again, stopping] = notifications();
    expect([ready, again, stopping]).toEqual([
      'READY=1',
      'READY=1',
      'STOPPING=1 EXTEND_TIMEOUT_USEC=35000000',
    ]);
    const [, at = ''] = /^RELOADING=1 MONOTONIC_USEC=(\d+)$/.exec(reloading) ?? [];
    expect(BigInt(at)).toBeGreaterThanOrEqual(before);
    expect(BigInt(at)).toBeLessThan(before + 3_600_000_000n);
  });

  it('receives watchdog messages once the service is ready', async () => {
    const set = jest.spyOn(globalThis, 'setInterval');
    const manager = new ServiceManager({ ...SYSTEMD, WATCHDOG_USEC: '20000' }, silent);
    const changes = watch(NOTIFICATIONS);
    const beaten = new Promise<void>((resolve) => {
      changes.on('change', () => {
        if (notifications().filter((line) => line === 'WATCHDOG=1').length >= 2) resolve();
      });
    });
    await manager.ready();
    await beaten;
    changes.close();
    for (const { value } of set.mock.results) clearInterval(value as NodeJS.Timeout);
    set.mockRestore();
    await manager.stopping(1000); // The last notification.
    expect(notifications()[0]).toBe('READY=1');
  });

  it.each([
    ['without a unit that requests it', {}],
    ['if only its watchdog is set', { WATCHDOG_USEC: '20000' }],
  ])('is not notified %s', async (_what, environment) => {
    const manager = new ServiceManager(environment, silent);
    await manager.ready();
    await manager.stopping(1000);
    expect(notifications()).toEqual([]);
  });

  it('receives watchdog messages only from the process that it watches', async () => {
    const set = jest.spyOn(globalThis, 'setInterval');
    await new ServiceManager({ ...SYSTEMD, WATCHDOG_USEC: '20000', WATCHDOG_PID: '1' }, silent).ready();
    expect(set).not.toHaveBeenCalled();
    expect(notifications()).toEqual(['READY=1']);
  });

  it('receives later notifications after a failed one, which is logged', async () => {
    setNotifier('echo no socket >&2; exit 1');
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => void lines.push(line) });
    const manager = new ServiceManager(SYSTEMD, logger);
    await manager.ready();
    setNotifier(`echo "$@" >> '${NOTIFICATIONS}'`);
    await manager.stopping(1000);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        msg: 'systemd-notify failed; systemd was not notified',
        assignments: ['READY=1'],
        err: expect.objectContaining({ message: expect.stringContaining('no socket') as string }) as object,
      }),
    ]);
    expect(notifications()).toHaveLength(1);
  });
});
