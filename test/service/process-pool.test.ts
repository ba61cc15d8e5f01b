import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import timers from 'node:timers/promises';

import type { Logger } from 'pino';

import { ProcessPool } from '../../src/service/processes/process-pool';

/** Stands for a process: it hears nothing before it is ready, as a real one that still starts. */
class FakeProcess extends EventEmitter {
  readonly id: number;
  readonly heard: string[] = [];
  readonly process = Object.assign(new EventEmitter(), { pid: 1, stdout: null });
  #ready = false;

  constructor(id: number) {
    super();
    this.id = id;
  }

  isConnected(): boolean {
    return true;
  }

  send({ kind }: { readonly kind: string }): void {
    if (this.#ready) this.heard.push(kind);
  }

  ready(): void {
    this.#ready = true;
    this.emit('message', { kind: 'ready', served: { port: 1, services: [], examples: [] } });
  }

  end(code: number | null, signal: string | null = null): void {
    this.process.emit('close', code, signal);
  }
}

const forked: FakeProcess[] = [];
/** Ends the pauses that were begun before a process is replaced. */
let endPauses: (() => void)[] = [];

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the processes of the service', () => {
  let logged: string[];
  let ends: boolean[];
  let pool: ProcessPool;
  beforeEach(() => {
    forked.length = 0;
    endPauses = [];
    jest.spyOn(cluster, 'setupPrimary').mockImplementation(() => undefined);
    jest.spyOn(cluster, 'fork').mockImplementation(() => {
      const made = new FakeProcess(forked.length);
      forked.push(made);
      return made as unknown as Worker; // With all that the pool uses.
    });
    jest
      .spyOn(timers, 'setTimeout')
      .mockImplementation(() => new Promise((resolve) => endPauses.push(resolve as () => void)));
    logged = [];
    ends = [];
    const write = (_fields: unknown, message: string): void => {
      logged.push(message);
    };
    // The two of a logger's methods that the pool calls.
    const logger = { info: write, error: write } as unknown as Logger;
    pool = new ProcessPool(logger, () => ({}), {
      onMessage: () => undefined,
      onLines: () => undefined,
      onEnd: (_child, replaced) => ends.push(replaced),
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  async function started(): Promise<FakeProcess> {
    const start = pool.start('web');
    const made = latest();
    made.ready();
    await start;
    return made;
  }
  function latest(): FakeProcess {
    const made = forked.at(-1);
    if (made === undefined) throw new Error('No process was started');
    return made;
  }

  it('reload files when ready if the others reloaded during their start', async () => {
    const first = await started();
    const start = pool.start('web');
    const second = latest();
    pool.reloadStarting();
    expect(pool.children().map(({ id }) => id)).toEqual([first.id]);
    second.ready();
    await start;
    expect([first.heard, second.heard]).toEqual([[], ['catch-up']]);
    expect((await started()).heard).toEqual([]);
  });

  it('get a stop message, and the pool has stopped when the last one has ended', async () => {
    const [first, second] = [await started(), await started()];
    const state = { stopped: false };
    const stop = pool.stop().then(() => (state.stopped = true));
    expect([first.heard, second.heard]).toEqual([['stop'], ['stop']]);
    first.end(0);
    await turn();
    expect(state.stopped).toBe(false);
    second.end(0);
    await stop;
    expect(ends).toEqual([false, false]);
    expect(logged).toEqual([]);
  });

  it('get a stop message when ready if the stop came during their start', async () => {
    (await started()).end(null, 'SIGKILL');
    endPauses.forEach((end) => {
      end();
    });
    await turn();
    const replacement = latest();
    expect(replacement.id).toBe(1);
    const stop = pool.stop();
    expect(replacement.heard).toEqual([]);
    replacement.ready();
    expect(replacement.heard).toEqual(['stop']);
    replacement.end(0);
    await expect(stop).resolves.toBeUndefined();
  });

  it('are not replaced after a stop: neither one that died before, nor one that dies meanwhile', async () => {
    const [first, second] = [await started(), await started()];
    first.end(null, 'SIGKILL');
    expect(logged).toEqual(['a process died and will be replaced']);
    const stop = pool.stop();
    second.end(null, 'SIGKILL');
    await stop;
    endPauses.forEach((end) => {
      end();
    });
    await turn();
    expect(forked).toHaveLength(2);
    expect(ends).toEqual([true, false]);
    expect(logged).toHaveLength(1);
  });

  it('are replaced each time they die', async () => {
    await started();
    for (const replacements of [1, 2, 3]) {
      latest().end(1);
      endPauses.splice(0).forEach((end) => {
        end();
      });
      await turn();
      expect(forked).toHaveLength(1 + replacements);
      latest().ready();
    }
    expect(pool.children('web')).toHaveLength(1);
    expect(pool.children('delivery')).toHaveLength(0);
  });

  it.each([['ends', 1, null, 'AlreadyReportedError']])(
    'do not start when the first one %s before it is ready',
    async (_how, code, signal, name) => {
      const start = pool.start('web');
      latest().end(code, signal);
      await expect(start).rejects.toMatchObject({ name });
      expect(ends).toEqual([false]);
      expect(endPauses).toEqual([]);
    },
  );

  const killLatest = async (): Promise<void> => {
    latest().end(null, 'SIGKILL');
    endPauses.splice(0).forEach((end) => {
      end();
    });
    await turn();
  };

  it('start although one is killed before it is ready', async () => {
    const start = pool.start('web');
    await killLatest();
    await killLatest();
    expect(forked).toHaveLength(3);
    latest().ready();
    await expect(start).resolves.toMatchObject({ port: 1 });
    expect(pool.children('web')).toHaveLength(1);
    expect(ends).toEqual([true, true]);
  });

  it('do not start if each is killed before it is ready', async () => {
    const start = pool.start('web');
    const failed = expect(start).rejects.toMatchObject({ name: 'OperatorError' });
    for (let killed = 0; killed < 6; killed += 1) await killLatest();
    await failed;
    expect(forked).toHaveLength(6);
    expect(ends.at(-1)).toBe(false);
  });
});
