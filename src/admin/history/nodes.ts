import { statfs } from 'node:fs/promises';

import { Gauge, type Registry } from 'prom-client';

import { type MessageChannel, type NodeFacts, PULSE_MS, type Store } from '../../store';
import type { MetricsSnapshot, ReadableMetrics } from '../../telemetry';
import { inTime } from './minute-stats';

/** A node: its name, version, data folder and metrics. */
export interface Node {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly metrics: ReadableMetrics;
}

/** Returns the current state of a node, without the parts that do not answer in time. */
export async function readNodeFacts({ version, folder, metrics }: Node): Promise<NodeFacts> {
  const [samples, disk] = await Promise.all([
    inTime(metrics.registry.getMetricsAsJSON()),
    inTime(readDisk(folder)),
  ]);
  return {
    version,
    // A single process has no such metric.
    processes: findSamples(samples, 'service_processes')[0]?.value ?? 1,
    circuits: findSamples(samples, 'delivery_circuit_open').map(({ labels, value }) => ({
      // Only the delivery writes the label, from this type.
      channel: labels['channel'] as MessageChannel,
      isOpen: value > 0,
      isStopped: findSamples(samples, 'delivery_provider_stopped').some(
        (each) => each.labels['channel'] === labels['channel'] && each.value > 0,
      ),
    })),
    certificateEndsAt: timeIn(samples, 'service_tls_certificate_end_timestamp_seconds'),
    clockJumpedAt: timeIn(samples, 'service_clock_jump_timestamp_seconds'),
    oldServerAnswers: findSamples(samples, 'service_old_server_answers').map(({ value }) => value > 0)[0],
    disk,
  };
}

/** Returns the size and free space of the disk with a folder, in bytes. */
async function readDisk(folder: string): Promise<NonNullable<NodeFacts['disk']>> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

interface LabelledValue {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

function findSamples(samples: MetricsSnapshot | undefined, name: string): readonly LabelledValue[] {
  // The values that a registry returns for a metric, which the typings leave out.
  const metric = samples?.find((each) => each.name === name) as
    { readonly values?: readonly LabelledValue[] } | undefined;
  return metric?.values ?? [];
}

/** Returns a metric's time, given in seconds, in milliseconds since 1970 UTC. */
function timeIn(samples: MetricsSnapshot | undefined, name: string): number | undefined {
  const seconds = findSamples(samples, name)[0]?.value ?? Number.NaN;
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

interface NodeMetricsOptions {
  readonly store: {
    readonly nodes: Pick<Store['nodes'], 'list'>;
    readonly backups: Pick<Store['backups'], 'last'>;
    readonly secondPrimaries: Store['secondPrimaries'];
  };
  readonly folder: string;
}

/**
 * Publishes when each node on the database last reported, when this one started, its disk, and the last
 * backup. Parts that do not answer in time are left out.
 */
export function publishNodes(registry: Registry, { store, folder }: NodeMetricsOptions): void {
  const registers = [registry];
  new Gauge({
    name: 'service_start_time_seconds',
    help: 'Start time of the service (Unix seconds).',
    registers,
  }).set(performance.timeOrigin / 1000);
  new Gauge({
    name: 'service_node_heard_timestamp_seconds',
    help: 'Time of the last heartbeat of each node on the database (Unix seconds).',
    labelNames: ['node'],
    registers,
    async collect() {
      const nodes = await inTime(store.nodes.list());
      this.reset();
      for (const { name, heardAt } of nodes ?? []) this.set({ node: name }, heardAt / 1000);
    },
  });
  new Gauge({
    name: 'service_second_primary',
    help: '1 for each PostgreSQL server that accepts writes although it is not the primary, by server (HOST:PORT).',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset();
      for (const server of store.secondPrimaries) this.set({ server }, 1);
    },
  });
  new Gauge({
    name: 'service_last_backup_timestamp_seconds',
    help: 'Start time of the last good backup (Unix seconds); NaN if there is none.',
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
  disk('service_disk_free_bytes', 'Free space on the disk of DATA_DIR.', ({ free }) => free);
  disk('service_disk_size_bytes', 'Size of the disk of DATA_DIR.', ({ size }) => size);
}

interface NodePulseOptions {
  readonly store: { readonly nodes: Pick<Store['nodes'], 'say' | 'leave'> };
  readonly node: Node;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Reports this node's state to the store every minute, so that every console shows all nodes. */
export class NodePulse {
  readonly #options: NodePulseOptions;
  #timer: NodeJS.Timeout | undefined;
  #saying: Promise<void> = Promise.resolve();

  constructor(options: NodePulseOptions) {
    this.#options = options;
  }

  start(): void {
    this.#saying = this.say();
    this.#timer = setInterval(() => {
      this.#saying = this.say();
    }, PULSE_MS).unref();
  }

  /**
   * Reports once. Does not throw: other parts report an unavailable store, and the silence reveals this node.
   */
  async say(): Promise<void> {
    const { store, node, now = Date.now } = this.#options;
    try {
      await store.nodes.say(node.name, await readNodeFacts(node), now());
    } catch {
      // The next minute tries again.
    }
  }

  /** Stops reporting, and removes this node. Does not throw. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saying;
    const { store, node } = this.#options;
    try {
      await store.nodes.leave(node.name);
    } catch {
      // The node is forgotten in a day.
    }
  }
}

const LOOK_MS = 10_000;
/** Smaller changes come from time synchronization, or a busy process. */
const JUMP_MS = 30_000;

interface ClockWatchOptions {
  readonly registry: Registry;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
  /** Returns milliseconds of a monotonic clock; default: the process's. */
  readonly elapsed?: () => number;
}

/**
 * Detects when the system's clock is set, and publishes when that was. A suspended machine looks the same.
 */
export class ClockWatch {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #jumpedAt: Gauge;
  #offset: number;
  #timer: NodeJS.Timeout | undefined;

  constructor({ registry, now = Date.now, elapsed = () => performance.now() }: ClockWatchOptions) {
    this.#now = now;
    this.#elapsed = elapsed;
    this.#offset = now() - elapsed();
    this.#jumpedAt = new Gauge({
      name: 'service_clock_jump_timestamp_seconds',
      help: 'Time of the last system clock change of more than 30 seconds (Unix seconds); NaN if there was none.',
      registers: [registry],
    });
    this.#jumpedAt.set(Number.NaN);
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const now = this.#now();
    const offset = now - this.#elapsed();
    if (Math.abs(offset - this.#offset) > JUMP_MS) this.#jumpedAt.set(now / 1000);
    this.#offset = offset;
  }
}
