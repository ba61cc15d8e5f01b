import { Gauge, type Registry } from 'prom-client';

import type { Store } from '../../store';
import { inTime } from './in-time';
import { readDisk } from './node-facts';

export interface NodeMetricsOptions {
  readonly store: {
    readonly nodes: Pick<Store['nodes'], 'list'>;
    readonly backups: Pick<Store['backups'], 'last'>;
  };
  /** The node's data folder. */
  readonly folder: string;
}

/**
 * Publishes when each node on the database was heard of, when this one began, its disk, and the last backup. What does not answer soon is
 * left out.
 */
export function publishNodes(registry: Registry, { store, folder }: NodeMetricsOptions): void {
  const registers = [registry];
  new Gauge({
    name: 'service_start_time_seconds',
    help: 'When the service was started, in seconds since 1970; of several processes the one that began.',
    registers,
  }).set(performance.timeOrigin / 1000);
  new Gauge({
    name: 'service_node_heard_timestamp_seconds',
    help: 'When each node on the database last said how it is, in seconds since 1970.',
    labelNames: ['node'],
    registers,
    async collect() {
      const nodes = await inTime(store.nodes.list());
      this.reset();
      for (const { name, heardAt } of nodes ?? []) this.set({ node: name }, heardAt / 1000);
    },
  });
  new Gauge({
    name: 'service_last_backup_timestamp_seconds',
    help: 'When the last good backup of the database was begun, in seconds since 1970; without one NaN.',
    registers,
    async collect() {
      const last = await inTime(store.backups.last());
      this.set(last === undefined ? Number.NaN : last.at / 1000);
    },
  });
  const disk = (
    name: string,
    help: string,
    valueOf: (disk: { free: number; size: number }) => number,
  ): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const space = await inTime(readDisk(folder));
        this.set(space === undefined ? Number.NaN : valueOf(space));
      },
    });
  };
  disk('service_disk_free_bytes', 'What is free on the disk with DATA_DIR.', ({ free }) => free);
  disk('service_disk_size_bytes', 'Size of the disk with DATA_DIR.', ({ size }) => size);
}
