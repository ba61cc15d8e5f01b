import { statfs } from 'node:fs/promises';

import type { MessageChannel, NodeFacts } from '../../store';
import type { MetricsSnapshot, ReadableMetrics } from '../../telemetry';
import { inTime } from './in-time';

/** A node: its name, where it keeps its data, and what it runs. */
export interface Node {
  readonly name: string;
  readonly version: string;
  /** Its data folder. */
  readonly folder: string;
  /** Of all its processes. */
  readonly metrics: ReadableMetrics;
}

/** How a node is now. What does not answer soon is left out. */
export async function readNodeFacts({ version, folder, metrics }: Node): Promise<NodeFacts> {
  const [samples, disk] = await Promise.all([
    inTime(metrics.registry.getMetricsAsJSON()),
    inTime(readDisk(folder)),
  ]);
  return {
    version,
    // Nobody counts the one that is alone.
    processes: valuesOf(samples, 'service_processes')[0]?.value ?? 1,
    circuits: valuesOf(samples, 'delivery_circuit_open').map(({ labels, value }) => ({
      // Only the delivery writes the label, from this type.
      channel: labels['channel'] as MessageChannel,
      isOpen: value > 0,
    })),
    disk,
  };
}

/** The disk with a folder, in bytes. */
export async function readDisk(folder: string): Promise<NonNullable<NodeFacts['disk']>> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
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
