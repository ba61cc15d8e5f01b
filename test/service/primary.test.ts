import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { Counter, Registry } from 'prom-client';

import { AlreadyReportedError, type ToChild } from '../../src/service/processes/process-pool';
import { Reloader } from '../../src/service/reload';
import { writeUsers } from '../admin/login/users';
import { listensBeforeGreeting } from './greeting-order';
import { useServicesHere } from './use-services-here';

const FAILURE = { names: ['ACCESS_FILE'], reason: 'It is empty.' };

/** Stands for a child process that answers the primary process at once. */
class FakeChild extends EventEmitter {
  readonly heard: ToChild[] = [];
  readonly stdout = new PassThrough();
  readonly process = Object.assign(new EventEmitter(), { pid: 1, stdout: this.stdout });
  /** Number of processes that were there when this one was ready. */
  readyAmong = 0;
  /** Resolves when it has been sent alerts. */
  readonly alerted: Promise<void>;
  #onAlerts: () => void = () => undefined;
  readonly #registry = new Registry();

  constructor(
    readonly id: number,
    readonly kind: string,
  ) {
    super();
    this.alerted = new Promise((resolve) => (this.#onAlerts = resolve));
    new Counter({ name: 'calls_total', help: 'Calls.', registers: [this.#registry] }).inc();
  }

  isConnected(): boolean {
    return true;
  }

  send(message: ToChild): void {
    this.heard.push(message);
    if (message.kind === 'alerts') this.#onAlerts();
    setImmediate(() => void this.#answer(message));
  }

  end(code: number): void {
    this.process.emit('close', code, null);
  }

  async #answer({ kind }: ToChild): Promise<void> {
    if (dyingOn.id === this.id && dyingOn.kind === kind) this.end(1);
    else if (kind === 'start') await this.#start();
    else if (kind === 'stop') this.end(0);
    else if (kind === 'reload') this.emit('message', { kind: 'reloaded', wrong: [FAILURE] });
    else if (kind === 'send-metrics')
      this.emit('message', { kind: 'metrics', snapshot: await this.#registry.getMetricsAsJSON() });
  }

  async #start(): Promise<void> {
    await mayStart(this);
    this.readyAmong = children.length;
    const served = { port: 4000 + this.id, services: [], examples: [] };
    this.emit('message', { kind: 'ready', served });
  }
}

let children: FakeChild[] = [];
/** The process that dies instead of answering this message. */
let dyingOn: { readonly id?: number | undefined; readonly kind?: ToChild['kind'] } = {};
/** Resolves when a process may become ready. */
let mayStart: (child: FakeChild) => Promise<void> = () => Promise.resolve();
const ofKind = (kind: string): readonly FakeChild[] => children.filter((child) => child.kind === kind);

describe('the primary process', () => {
  const services = useServicesHere();
  afterAll(() => {
    jest.restoreAllMocks();
  });

  async function start(settings: Readonly<Record<string, string>> = {}) {
    children = [];
    dyingOn = {};
    mayStart = () => Promise.resolve();
    jest.spyOn(cluster, 'setupPrimary').mockImplementation(() => undefined);
    jest.spyOn(cluster, 'fork').mockImplementation((environment) => {
      const { SERVICE_PROCESS_KIND: kind } = environment as Readonly<Record<string, string>>;
      const child = new FakeChild(children.length, kind ?? '');
      children.push(child);
      return child as unknown as Worker; // With all that the pool uses.
    });
    return services.start({ settings: { PROCESSES: '2', ...settings } });
  }

  it('starts one process alone, then the others, and one for the delivery', async () => {
    const service = await start();
    expect(children.map(({ kind }) => kind)).toEqual(['web', 'web', 'delivery']);
    expect(children[0]?.readyAmong).toBe(1);
    expect(children[0]?.heard[0]).toMatchObject({ kind: 'start', texts: { PROCESSES: '2' } });
    expect(service.port).toBe(4000);
    expect(service.errors).toContain('Listening on http://localhost:4000\n');
    await service.line('loaded the sample school');
  });

  it.each([0, 1])('leaves no address for reloads behind if process %i cannot start', async (id) => {
    const starting = start();
    dyingOn = { id, kind: 'start' };
    await expect(starting).rejects.toThrow(AlreadyReportedError);
    expect(existsSync(join(services.folder, 'data', 'reload.json'))).toBe(false);
  });

  it('can be stopped before it prints that Ctrl-C stops it', async () => {
    expect(await listensBeforeGreeting(start)).toEqual({ SIGINT: true, SIGTERM: true });
  });

  it('ends the watch of files when it stops', async () => {
    const watch = jest.spyOn(Reloader.prototype, 'watch');
    const service = await start({ RELOAD_ON_CHANGE: 'true' });
    await service.stop();
    expect(watch).toHaveBeenCalledTimes(1);
    await watch.mock.results[0]?.value;
  });

  it('starts none that delivers with ROLE=web, and no others at all with ROLE=worker', async () => {
    await start({ ROLE: 'web' });
    expect(children.map(({ kind }) => kind)).toEqual(['web', 'web']);
    await start({ ROLE: 'worker' });
    expect(children).toEqual([]);
  });

  it('passes new messages to the process that delivers, and alerts to all', async () => {
    await start({ SAMPLE_DATA: 'false', DATA_DIR: `${services.folder}/no sample` });
    const message = { kind: 'new-message', channel: 'sms' } as const;
    ofKind('web')[0]?.emit('message', message);
    expect(ofKind('delivery')[0]?.heard).toContainEqual(message);
    for (const child of ofKind('web')) expect(child.heard).not.toContainEqual(message);
    const alerts = { kind: 'alerts', alerts: ['FileChannel'] };
    await Promise.all(children.map(({ alerted }) => alerted));
    for (const { heard } of children) expect(heard).toContainEqual(alerts);
  });

  it('writes the whole lines of the others to the log', async () => {
    const service = await start();
    children[1]?.stdout.write('{"msg":"from another"}\n{"msg":');
    expect(await service.line('from another')).toBeDefined();
  });

  it('adds up their metrics, those of a replaced one included', async () => {
    const service = await start();
    const metrics = async () => (await service.askAdmin({ path: '/metrics' })).text;
    expect(await metrics()).toMatch(/^calls_total 3$/m);
    expect(await metrics()).toMatch(/^service_processes 3$/m);
    children[1]?.end(1);
    await service.line('replaced the process that died', { kind: 'web' });
    expect(children).toHaveLength(4);
    expect(await metrics()).toMatch(/^calls_total 4$/m);
    expect(await metrics()).toMatch(/^service_processes 3$/m);
    expect(await metrics()).toMatch(/^service_processes_replaced_total 1$/m);
  });

  it('has all of them reload, and reports a common problem once', async () => {
    const service = await start();
    const line = await service.reload();
    for (const { heard } of children)
      expect(heard.at(-1)).toMatchObject({ kind: 'reload', texts: { PROCESSES: '2' } });
    expect(line).toMatchObject({ wrong: FAILURE.names });
    expect(service.output.match(/It is empty\./g)).toHaveLength(1);
  });

  it('reports what it cannot reload itself beside the problems of the others', async () => {
    const file = join(services.folder, 'admins.json');
    writeUsers(file);
    const service = await start({ ADMIN_USERS_FILE: file });
    writeFileSync(file, '{}');
    expect(await service.reload()).toMatchObject({ wrong: ['ADMIN_USERS_FILE', ...FAILURE.names] });
  });

  it('has a process reload that was starting while the others did', async () => {
    const service = await start();
    let begin: () => void = () => undefined;
    const starting = new Promise<FakeChild>((resolve) => {
      mayStart = (child) => {
        resolve(child);
        return new Promise((ready) => (begin = ready));
      };
    });
    children[1]?.end(1);
    const child = await starting;
    await service.reload();
    begin();
    await service.line('replaced the process that died', { kind: 'web' });
    await service.reload();
    expect(child.heard.map(({ kind }) => kind)).toEqual(['start', 'catch-up', 'reload']);
  });

  it('reloads without a process that dies meanwhile, then with the one in its place', async () => {
    const service = await start();
    for (const [number, kind] of ['web', 'delivery'].entries()) {
      const dying = ofKind(kind).at(-1);
      dyingOn = { id: dying?.id, kind: 'reload' };
      await service.reload();
      await service.lines(
        (lines) => lines.filter(({ msg }) => msg === 'replaced the process that died')[number],
        'before the process was replaced',
      );
      await service.reload();
      expect(children.at(-1)?.heard.at(-1)).toMatchObject({ kind: 'reload' });
    }
    expect(children.map(({ kind }) => kind)).toEqual(['web', 'web', 'delivery', 'web', 'delivery']);
  });

  it('stops the others, then itself', async () => {
    const service = await start();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await service.line('all processes stopped');
    for (const { heard } of children) expect(heard.at(-1)).toEqual({ kind: 'stop' });
  });
});
