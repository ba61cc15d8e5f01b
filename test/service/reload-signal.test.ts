import { statSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import timers, { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { pino } from 'pino';

import { readSettings, SettingsInUse } from '../../src/config';
import { Reloader } from '../../src/service/reload';
import { ServiceManager } from '../../src/service/service-manager';
import { useFolder } from '../harness/use-folder';

type Line = Readonly<Record<string, unknown>>;

/** A log whose lines can be awaited. */
function readableLog() {
  const lines: Line[] = [];
  let onLine = (): void => undefined;
  const destination = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(JSON.parse(line.toString()) as Line); // Each line is an object.
      onLine();
      done();
    },
  });
  return {
    logger: pino({ formatters: { level: (level) => ({ level }) } }, destination),
    async line(message: string, fields: Line = {}): Promise<Line> {
      for (;;) {
        const found = lines.find(
          (line) =>
            String(line['msg']).startsWith(message) &&
            Object.entries(fields).every(([name, value]) => isDeepStrictEqual(line[name], value)),
        );
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => (onLine = resolve));
      }
    },
  };
}

describe('a watched file', () => {
  const folder = useFolder();
  const file = join(folder, 'settings.env');
  const read = () => readSettings({ SETTINGS_FILE: file });
  afterEach(() => {
    jest.restoreAllMocks();
    process.removeAllListeners('SIGHUP');
  });

  /** Watches the file, whose state is that of the disk with these changes. */
  async function watch() {
    writeFileSync(file, '');
    const inUse = new SettingsInUse(read(), read);
    const reloader = new Reloader(inUse, readableLog());
    const reload = jest.spyOn(reloader, 'request').mockImplementation(() => new Promise(() => undefined));
    let changes: object = {};
    const stats = statSync(file, { bigint: true });
    jest
      .spyOn(files, 'stat')
      .mockImplementation(() =>
        Promise.resolve(Object.assign(Object.create(stats) as typeof stats, changes)),
      );
    let wake: () => void;
    let onDelay = (): void => undefined;
    jest.spyOn(timers, 'setTimeout').mockImplementation(() => {
      onDelay();
      return new Promise((resolve) => (wake = resolve as () => void));
    });
    const delays = () => new Promise<void>((resolve) => (onDelay = resolve));
    const first = delays();
    void reloader.watch();
    await first;
    const look = (changed: object = changes): Promise<void> => {
      changes = changed;
      const next = delays();
      wake();
      return next;
    };
    return { reload, stats, look };
  }

  it('is reloaded once it has stayed the same for a second', async () => {
    const { reload, look } = await watch();
    await look();
    for (let mtimeNs = 1n; mtimeNs < 4n; mtimeNs += 1n) await look({ mtimeNs });
    expect(reload).not.toHaveBeenCalled();
    await look();
    await look();
    expect(reload.mock.calls).toEqual([['file change']]);
    for (let looks = 0; looks < 3; looks += 1) await look();
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it.each(['ino', 'mtimeNs', 'size', 'mode', 'uid', 'gid'] as const)(
    'is reloaded when its %s changes: it may have become readable, or another file',
    async (name) => {
      const { reload, stats, look } = await watch();
      await look();
      for (let looks = 0; looks < 3; looks += 1) await look({ [name]: stats[name] + 1n });
      expect(reload).toHaveBeenCalledTimes(1);
    },
  );
});

describe('SIGHUP', () => {
  const folder = useFolder();
  const file = join(folder, 'settings.env');
  const read = () => readSettings({ SETTINGS_FILE: file });
  afterEach(() => {
    process.removeAllListeners('SIGHUP');
  });

  it('reloads everything after a bug prevented a reload', async () => {
    writeFileSync(file, 'ADMIN_METRICS_TOKEN=the-old-token-of-metrics\n');
    const log = readableLog();
    const manager = new ServiceManager({}, log.logger);
    const ready = jest.spyOn(manager, 'ready');
    const broken = jest.fn().mockRejectedValueOnce(new TypeError('a bug')).mockResolvedValue([]);
    const trail = { note: jest.fn() };
    new Reloader(new SettingsInUse(read(), read), log).serve({ manager, reload: broken, trail });

    writeFileSync(file, 'ADMIN_METRICS_TOKEN=the-new-token-of-metrics\n');
    process.emit('SIGHUP', 'SIGHUP');
    expect(await log.line('reload failed; restart the service')).toMatchObject({
      level: 'error',
      err: { message: 'a bug' },
    });
    // Or systemd would wait for the end of the reload.
    expect(ready).toHaveBeenCalledTimes(1);

    process.emit('SIGHUP', 'SIGHUP');
    expect(await log.line('reloaded settings and files')).toMatchObject({
      changed: ['ADMIN_METRICS_TOKEN'],
      wrong: [],
    });
    expect(broken).toHaveBeenCalledTimes(2);
    expect(trail.note.mock.calls).toEqual([
      ['command line', 'settings reloaded', { cause: 'signal', changed: 'ADMIN_METRICS_TOKEN' }],
    ]);
  });

  it('begins no reload before the last one has ended', async () => {
    writeFileSync(file, '');
    const log = readableLog();
    const turns: ReturnType<typeof deferred>[] = Array.from({ length: 3 }, () => deferred());
    const steps: string[] = [];
    let at = 0;
    const reload = async () => {
      const number = at++;
      steps.push(`begin ${String(number)}`);
      turns[number]?.began();
      await turns[number]?.end;
      steps.push(`end ${String(number)}`);
      return [];
    };
    const reloader = new Reloader(new SettingsInUse(read(), read), log);
    reloader.serve({ manager: new ServiceManager({}, log.logger), reload });
    const requests: Promise<unknown>[] = [];
    for (const [number, cause] of (['signal', 'command', 'file change'] as const).entries()) {
      requests.push(reloader.request(cause));
      if (number === 0) await turns[0]?.begun;
      else await nextTurn();
    }
    turns[0]?.over();
    await turns[1]?.begun;
    requests.push(reloader.request('signal'));
    await nextTurn();
    turns[1]?.over();
    turns[2]?.over();
    await Promise.all(requests);
    expect(steps).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  it('during a reload causes exactly one more, however often it arrives', async () => {
    writeFileSync(file, 'ADMIN_METRICS_TOKEN=the-old-token-of-metrics\n');
    const log = readableLog();
    const manager = new ServiceManager({}, log.logger);
    const [first, second, third] = [deferred(), deferred(), deferred()];
    const turns = [first, second, third];
    let at = 0;
    const reload = jest.fn(async () => {
      const turn = turns[at++];
      turn?.began();
      await turn?.end;
      return [];
    });
    new Reloader(new SettingsInUse(read(), read), log).serve({ manager, reload });

    process.emit('SIGHUP', 'SIGHUP');
    await first.begun;
    // Too late for the files that were just read.
    writeFileSync(file, 'ADMIN_METRICS_TOKEN=the-new-token-of-metrics\n');
    process.emit('SIGHUP', 'SIGHUP');
    process.emit('SIGHUP', 'SIGHUP');
    first.over();
    await second.begun;
    second.over();
    expect(await log.line('reloaded settings and files', { changed: ['ADMIN_METRICS_TOKEN'] })).toBeDefined();
    expect(reload).toHaveBeenCalledTimes(2);

    process.emit('SIGHUP', 'SIGHUP');
    await third.begun;
    third.over();
    expect(reload).toHaveBeenCalledTimes(3);
  });

  it('before the service has started reloads everything afterwards', async () => {
    writeFileSync(file, 'ADMIN_METRICS_TOKEN=the-old-token-of-metrics\n');
    const log = readableLog();
    const reloader = new Reloader(new SettingsInUse(read(), read), log);
    writeFileSync(file, 'ADMIN_METRICS_TOKEN=the-new-token-of-metrics\n');
    process.emit('SIGHUP', 'SIGHUP');
    const manager = new ServiceManager({}, log.logger);
    reloader.serve({ manager, reload: () => Promise.resolve([]) });
    expect(await log.line('reloaded settings and files')).toMatchObject({
      changed: ['ADMIN_METRICS_TOKEN'],
    });
  });
});

/** A piece of work whose start can be awaited, and which ends on request. */
function deferred() {
  let began = (): void => undefined;
  let over = (): void => undefined;
  const begun = new Promise<void>((resolve) => (began = resolve));
  const end = new Promise<void>((resolve) => (over = resolve));
  return { begun, end, began, over };
}
