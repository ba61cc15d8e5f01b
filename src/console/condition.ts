import { statfs } from 'node:fs/promises';

import type { Config } from '../config';
import type { Finding } from '../errors';
import type { Backlog, BusyWorker, HeldArea, MessageChannel, Store } from '../store';
import type { MetricsSnapshot, ReadableMetrics } from '../telemetry';

const ANSWER_WITHIN_MS = 2000;

/** How the service is at a moment. */
export interface Condition {
  /** What the store knows; undefined where it does not answer in time. */
  readonly store: StoreCondition | undefined;
  /** Processes of this node that answer or deliver; undefined where nobody counts them: it is this one alone. */
  readonly processes: number | undefined;
  /** Whether each provider is left alone by this node's worker; empty where none delivers here. */
  readonly circuits: readonly Circuit[];
  /** Where the data folder is; undefined where the system does not tell. */
  readonly disk: Disk | undefined;
  /** What is wrong with the settings, or worth knowing of them. */
  readonly findings: readonly Finding[];
}

export interface StoreCondition {
  readonly backlog: readonly Backlog[];
  readonly workers: readonly BusyWorker[];
  readonly heldAreas: readonly HeldArea[];
}

export interface Circuit {
  readonly channel: MessageChannel;
  readonly isOpen: boolean;
}

/** In bytes. */
export interface Disk {
  readonly free: number;
  readonly size: number;
}

/** Looks at everything, and waits for nothing long. */
export async function readCondition(
  store: Store,
  metrics: ReadableMetrics,
  { config, findings }: { readonly config: Config; readonly findings: readonly Finding[] },
  now: number,
): Promise<Condition> {
  const [ofStore, samples, disk] = await Promise.all([
    inTime(readStore(store, now)),
    inTime(metrics.registry.getMetricsAsJSON()),
    inTime(readDisk(config.DATA_DIR)),
  ]);
  return {
    store: ofStore,
    processes: valuesOf(samples, 'service_processes')[0]?.value,
    circuits: valuesOf(samples, 'delivery_circuit_open').map(({ labels, value }) => ({
      // Only the delivery writes the label, from this type.
      channel: labels['channel'] as MessageChannel,
      isOpen: value > 0,
    })),
    disk,
    findings,
  };
}

async function readStore(store: Store, now: number): Promise<StoreCondition> {
  await store.ping();
  return {
    backlog: await store.outbox.backlog(),
    workers: await store.outbox.busyWorkers(),
    heldAreas: await store.codeTraffic.heldSince(now),
  };
}

async function readDisk(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

/** Undefined for what fails, or takes too long. */
async function inTime<T>(asked: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ANSWER_WITHIN_MS, undefined);
  });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

function valuesOf(samples: MetricsSnapshot | undefined, name: string): readonly Sample[] {
  // What a registry gives of a metric; the typings leave the values out.
  const metric = samples?.find((each) => each.name === name) as
    { readonly values?: readonly Sample[] } | undefined;
  return metric?.values ?? [];
}
