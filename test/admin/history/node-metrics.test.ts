import { tmpdir } from 'node:os';

import { Registry } from 'prom-client';

import { publishNodes } from '../../../src/admin/history/nodes';
import { type LastBackup, type NodeRecord, StoreError } from '../../../src/store';

const HEARD = Date.parse('2026-11-23T10:00:00Z');

function published(
  list: () => Promise<readonly NodeRecord[]>,
  folder = tmpdir(),
  last: () => Promise<LastBackup | undefined> = () => Promise.resolve(undefined),
  secondPrimaries: readonly string[] = [],
): Promise<string> {
  const registry = new Registry();
  publishNodes(registry, { store: { nodes: { list }, backups: { last }, secondPrimaries }, folder });
  return registry.metrics();
}

describe('the node metrics', () => {
  const nodes: readonly NodeRecord[] = ['one:1', 'two:1'].map((name, at) => ({
    ...{ name, heardAt: HEARD + at * 500, version: '1', processes: 1, circuits: [] },
  }));

  it('show when each node was last heard from', async () => {
    const text = await published(() => Promise.resolve(nodes));
    expect(text).toContain(`service_node_heard_timestamp_seconds{node="one:1"} ${String(HEARD / 1000)}\n`);
    expect(text).toContain(
      `service_node_heard_timestamp_seconds{node="two:1"} ${String(HEARD / 1000 + 0.5)}\n`,
    );
  });

  it('show each server that accepts writes beside the primary', async () => {
    const none = await published(() => Promise.resolve(nodes));
    expect(none).not.toContain('service_second_primary{');
    const text = await published(() => Promise.resolve(nodes), tmpdir(), undefined, ['a:5432', 'c:5432']);
    expect(text).toContain(
      'service_second_primary{server="a:5432"} 1\nservice_second_primary{server="c:5432"} 1\n',
    );
  });

  it('show when this node started, and its disk space', async () => {
    const text = await published(() => Promise.resolve([]));
    const valueOf = (name: string): number => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    expect(valueOf('service_start_time_seconds')).toBeCloseTo(performance.timeOrigin / 1000, 3);
    expect(valueOf('service_disk_free_bytes')).toBeGreaterThan(0);
    expect(valueOf('service_disk_size_bytes')).toBeGreaterThan(valueOf('service_disk_free_bytes'));
  });

  it('show when the last backup started', async () => {
    const none = () => Promise.resolve([]);
    const text = await published(none, tmpdir(), () => Promise.resolve({ at: HEARD, file: '/kept.db' }));
    expect(text).toContain(`service_last_backup_timestamp_seconds ${String(HEARD / 1000)}\n`);
    expect(await published(none)).toContain('service_last_backup_timestamp_seconds Nan\n');
  });

  it('omit what cannot be read, and show the rest', async () => {
    const text = await published(
      () => Promise.reject(new StoreError('unavailable', 'gone')),
      '/nowhere/at all',
    );
    expect(text).not.toContain('service_node_heard_timestamp_seconds{');
    expect(text).toContain('service_disk_free_bytes Nan\n');
    expect(text).toMatch(/^service_start_time_seconds \d/m);
  });
});
