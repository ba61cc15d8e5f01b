import { readFileSync, statSync, writeFileSync } from 'node:fs';

import { DatabaseError } from 'pg';

import type { StoreEvent } from '../../../src/store';
import { type Position, Primaries, readPosition, Timelines } from '../../../src/store/postgres/primaries';
import { Servers } from '../../../src/store/postgres/servers';
import { useFolder } from '../../harness/use-folder';

const CLUSTER = '7451234567890123456';
const position = (timeline: number | undefined, more: Partial<Position> = {}): Position => ({
  ...{ cluster: CLUSTER, timeline, acceptsWrites: timeline !== undefined },
  ...{ startedAt: `1700000000.00000${String(timeline ?? 0)}`, ...more },
});

describe('the highest timelines', () => {
  const folder = useFolder();
  const path = () => `${folder}/timelines.json`;

  it('are remembered for each cluster, beyond the process', () => {
    const file = { path: path(), isWritten: true };
    const timelines = new Timelines(file);
    timelines.learn(CLUSTER, 2);
    timelines.learn(CLUSTER, 1);
    timelines.learn('another', 1);
    const later = new Timelines(file);
    expect([later.highest(CLUSTER), later.highest('another'), later.highest('none')]).toEqual([2, 1, 0]);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it('keep what another process has written to the file', () => {
    const file = { path: `${folder}/shared.json`, isWritten: true };
    const [one, other] = [new Timelines(file), new Timelines(file)];
    one.learn(CLUSTER, 3);
    other.learn('another', 1);
    expect(JSON.parse(readFileSync(file.path, 'utf8'))).toEqual({ [CLUSTER]: 3, another: 1 });
    expect(other.highest(CLUSTER)).toBe(3);
  });

  it('are read by commands, which write nothing', () => {
    const before = readFileSync(path(), 'utf8');
    const timelines = new Timelines({ path: path(), isWritten: false });
    timelines.learn(CLUSTER, 9);
    expect(timelines.highest(CLUSTER)).toBe(9);
    expect(readFileSync(path(), 'utf8')).toBe(before);
  });

  it.each(['', '[', 'null', '{"a":"x","b":1e99}'])(
    'are known only in memory if the file contains %j',
    (text) => {
      const file = { path: `${folder}/damaged.json`, isWritten: true };
      writeFileSync(file.path, text);
      const events: StoreEvent[] = [];
      const timelines = new Timelines(file, (event) => events.push(event));
      expect([timelines.highest('a'), timelines.highest('b')]).toEqual([0, 0]);
      expect(events.map(({ fields }) => fields['reason'])).toEqual(text.startsWith('{') ? [] : ['not JSON']);
      timelines.learn(CLUSTER, 2);
      expect(new Timelines(file).highest(CLUSTER)).toBe(2);
    },
  );

  it('are kept in memory, with a warning, if the file cannot be written', () => {
    const events: StoreEvent[] = [];
    const timelines = new Timelines({ path: `${folder}/none/x.json`, isWritten: true }, (event) =>
      events.push(event),
    );
    timelines.learn(CLUSTER, 2);
    expect(timelines.highest(CLUSTER)).toBe(2);
    expect(events).toMatchObject([{ level: 'warn', fields: { reason: 'ENOENT' } }]);
  });
});

describe('the primary among servers', () => {
  it('is the one with the highest timeline, whatever the order', () => {
    for (const names of [
      ['old', 'new'],
      ['new', 'old'],
    ]) {
      const primaries = new Primaries(new Timelines());
      for (const name of names) primaries.note(name, position(name === 'new' ? 2 : 1));
      expect(primaries.refusal('new')).toBeUndefined();
      expect(primaries.refusal('old')?.message).toBe(
        'PostgreSQL is a former primary: its timeline is 1, the primary’s is 2. Stop it and start the primary, see “Two primaries” in docs/several-nodes.md.',
      );
      expect(primaries.second('new')).toEqual(['old']);
    }
  });

  it('changes when a standby is promoted', () => {
    const primaries = new Primaries(new Timelines());
    primaries.note('a', position(1));
    primaries.note('b', position(undefined));
    expect([primaries.refusal('a'), primaries.refusal('b'), primaries.second('a')]).toEqual([
      undefined,
      undefined,
      [],
    ]);
    primaries.note('b', position(2));
    expect(primaries.refusal('a')).toBeDefined();
    // It has rejoined.
    primaries.note('a', position(undefined));
    expect([primaries.refusal('a'), primaries.second('b')]).toEqual([undefined, []]);
  });

  it('is none of those with a lower timeline than remembered, and the refusal names the file', () => {
    const primaries = new Primaries(new Timelines({ path: '/data/timelines.json', isWritten: false }));
    primaries.note('gone', position(3));
    primaries.note('gone', undefined);
    primaries.note('old', position(2));
    expect(primaries.refusal('old')?.message).toMatch(/delete \/data\/timelines\.json and restart\.$/);
    expect(primaries.second('gone')).toEqual(['old']);
    expect(primaries.refusal('gone')).toBeUndefined();
  });

  it('has no second one if two addresses lead to it, or the other is read-only', () => {
    const primaries = new Primaries(new Timelines());
    for (const name of ['pooler-1', 'pooler-2']) primaries.note(name, position(2));
    primaries.note('fenced', position(1, { acceptsWrites: false }));
    expect(primaries.second('pooler-1')).toEqual([]);
    expect(primaries.refusal('fenced')).toBeDefined();
  });

  it('is the second one if the other is on the same timeline or in another cluster', () => {
    const primaries = new Primaries(new Timelines());
    primaries.note('a', position(2));
    primaries.note('b', position(2, { startedAt: '1700000009' }));
    primaries.note('c', position(1, { cluster: 'another' }));
    expect(['a', 'b', 'c'].map((name) => primaries.refusal(name))).toEqual([undefined, undefined, undefined]);
    expect(primaries.second('a')).toEqual(['b', 'c']);
  });
});

describe('a position', () => {
  const row = { cluster: CLUSTER, wal: '0000001A0000000000000003', writes: true, started: '1700000000.5' };
  const refusal = (code: string): DatabaseError =>
    Object.assign(new DatabaseError('no', 1, 'error'), { code });
  const clientThat = (...answers: readonly (Partial<typeof row> | Error)[]) => {
    const left = [...answers];
    const query = (): Promise<unknown> => {
      const [answer] = left.splice(0, 1);
      return answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve({ rows: [{ ...row, ...answer }] });
    };
    return { query } as unknown as Parameters<typeof readPosition>[0]; // Only this form is called.
  };

  it('has the timeline in the first eight digits of the current file of the log', async () => {
    await expect(readPosition(clientThat({}))).resolves.toEqual({
      ...{ cluster: CLUSTER, timeline: 26, acceptsWrites: true, startedAt: '1700000000.5' },
    });
  });

  it('does without the system identifier if the user may not read it', async () => {
    const client = clientThat(refusal('42501'), { cluster: null } as never);
    await expect(readPosition(client)).resolves.toMatchObject({ cluster: '', timeline: 26 });
  });

  it('is unknown where the functions are missing, not supported or forbidden', async () => {
    for (const code of ['42883', '0A000', '55000'])
      await expect(readPosition(clientThat(refusal(code)))).resolves.toBeUndefined();
    await expect(readPosition(clientThat(refusal('42501'), refusal('42501')))).resolves.toBeUndefined();
  });

  it('is not made up when the connection is lost', async () => {
    await expect(readPosition(clientThat(refusal('57P01')))).rejects.toMatchObject({ code: '57P01' });
    await expect(readPosition(clientThat(new Error('reset')))).rejects.toThrow('reset');
  });
});

it('reports a second primary once, and its end', async () => {
  const positions = new Map([
    ['a:5432', position(1)],
    ['b:5432', position(2)],
  ]);
  const events: StoreEvent[] = [];
  const servers = new Servers('postgres://b,a,c/db', {
    onEvent: (event) => events.push(event),
    ask: ({ name }) => Promise.resolve(positions.get(name)),
  });
  await servers.survey();
  await servers.survey();
  expect(servers.secondPrimaries).toEqual(['a:5432']);
  positions.delete('a:5432');
  await servers.survey();
  expect(servers.secondPrimaries).toEqual([]);
  expect(events).toEqual([
    {
      level: 'error',
      message: 'another PostgreSQL server accepts writes beside the primary',
      fields: { primary: 'b:5432', other: 'a:5432' },
    },
    {
      level: 'info',
      message: 'only one PostgreSQL server accepts writes again',
      fields: { primary: 'b:5432' },
    },
  ]);
});

it('surveys the servers again only when the last survey has ended', async () => {
  const answers: (() => void)[] = [];
  const ask = jest.fn(() => new Promise<Position>((resolve) => answers.push(() => resolve(position(1)))));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const servers = new Servers('postgres://a,b/db', { ask });
  try {
    servers.watch();
    jest.advanceTimersByTime(60_000);
    expect(ask).toHaveBeenCalledTimes(2);
    const underWay = servers.survey();
    for (const answer of answers) answer();
    await underWay;
    jest.advanceTimersByTime(5000);
    expect(ask).toHaveBeenCalledTimes(4);
  } finally {
    servers.unwatch();
    jest.useRealTimers();
  }
});
