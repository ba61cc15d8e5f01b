import { Sends } from '../../../../src/features/migration/calls';
import type { Targets } from '../../../../src/features/migration/comparing/compare-request';
import { plan } from '../../../../src/features/migration/comparing/plan';
import { run } from '../../../../src/features/migration/comparing/compare-servers';
import { Target } from '../../../../src/features/migration/comparing/target';
import type { Recorded } from '../../../../src/features/migration/traffic/traffic';
import { useHttpServers } from './http-servers';

type Options = Parameters<typeof run>[1];

const sends = new Sends([{ file: 'A.asmx', reads: ['Read'], sends: ['Send'] }]);
const { signal } = new AbortController();

async function* traffic(count: number, closed: () => void = () => undefined): AsyncGenerator<Recorded> {
  try {
    for (let number = 0; number < count; number += 1)
      yield await Promise.resolve({
        source: String(number),
        request: {
          method: 'GET',
          target: `/A.asmx/Read?${String(number)}`,
          headers: [],
          body: Buffer.alloc(0),
        },
      });
  } finally {
    closed();
  }
}

describe('a run', () => {
  const start = useHttpServers();

  async function openTargets(urls: readonly [string, string]): Promise<Targets> {
    const [old, ours] = await Promise.all(
      urls.map((url) =>
        Target.open({
          url: new URL(url),
          headers: [],
          ca: undefined,
          milliseconds: 20_000,
          bytes: 1e6,
          connections: 5,
        }),
      ),
    );
    if (old === undefined || ours === undefined) throw new Error('There are two.');
    return { old, ours };
  }

  function optionsOf(targets: Targets, more: Partial<Options> = {}): Options {
    return {
      ...{
        targets,
        sends,
        sendsTo: { old: false, ours: false },
        count: undefined,
        compare: {},
        concurrency: 3,
      },
      ...{ perSecond: undefined, signal, onDone: () => undefined, ...more },
    };
  }

  async function closed(targets: Targets): Promise<void> {
    await Promise.all([targets.old.close(), targets.ours.close()]);
  }

  it('keeps exactly the configured number of requests in progress', async () => {
    const held: (() => void)[] = [];
    let most = 0;
    let underWay = 0;
    const server = await start((_, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      held.push(() => {
        underWay -= 1;
        response.end();
      });
      // All places are taken: now the first may end.
      if (underWay === 3)
        setImmediate(() => {
          held.splice(0).forEach((end) => {
            end();
          });
        });
      else if (server.asked.length > 10)
        held.splice(0).forEach((end) => {
          end();
        });
    });
    const other = await start((_, response) => response.end());
    const targets = await openTargets([other.url, server.url]);
    await run(traffic(13), optionsOf(targets));
    expect(most).toBe(3);
    expect([server.asked.length, other.asked.length]).toEqual([13, 26]);
    await closed(targets);
  });

  it('sends no more than the configured number of requests, and closes its traffic', async () => {
    const server = await start((_, response) => response.end());
    const targets = await openTargets([server.url, server.url]);
    let isClosed = 0;
    const close = (): void => {
      isClosed += 1;
    };
    await run(traffic(100, close), optionsOf(targets, { count: 4 }));
    expect(server.asked).toHaveLength(12);
    expect(
      await plan(traffic(100, close), { sends, sendsTo: { old: false, ours: false }, count: 4 }, signal),
    ).toMatchObject({ requests: 4, paths: ['/A.asmx'] });
    const ending = new AbortController();
    await run(
      traffic(100, close),
      optionsOf(targets, {
        signal: ending.signal,
        onDone: () => {
          ending.abort();
        },
      }),
    );
    expect(isClosed).toBe(3);
    await closed(targets);
  });

  it('ends with an error of its traffic after dropping requests in progress', async () => {
    const server = await start(() => undefined);
    const targets = await openTargets([server.url, server.url]);
    async function* broken(): AsyncGenerator<Recorded> {
      yield* traffic(2);
      throw new Error('broken');
    }
    await expect(run(broken(), optionsOf(targets))).rejects.toThrow('broken');
    await closed(targets);
  });
});
