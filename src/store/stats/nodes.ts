import { hostname } from 'node:os';

import { EngineRepository } from '../engine/engine';
import type { MessageChannel } from '../outbox/channels';
import { DAY_MS } from '../../support/durations';

/** State that a node reports for all of its processes together. */
export interface NodeFacts {
  readonly version: string;
  /** Number of processes that answer or deliver. */
  readonly processes: number;
  /** Circuit of each provider at the node's worker; empty for a node that does not deliver. */
  readonly circuits: readonly {
    readonly channel: MessageChannel;
    readonly isOpen: boolean;
    /** True if the provider refuses the account. */
    readonly isStopped?: boolean;
  }[];
  /** True if the old server answered the last request forwarded to it; undefined before the first one. */
  readonly oldServerAnswers?: boolean | undefined;
  /** When its TLS certificate expires, in milliseconds since 1970 UTC; undefined without TLS. */
  readonly certificateEndsAt?: number | undefined;
  /** When its clock last jumped, in milliseconds since 1970 UTC; undefined if it has not. */
  readonly clockJumpedAt?: number | undefined;
  /** Disk of its data folder, in bytes; undefined if the system does not say. */
  readonly disk?: { readonly free: number; readonly size: number } | undefined;
}

export interface NodeRecord extends NodeFacts {
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly heardAt: number;
}

/** Interval between a node's reports, in milliseconds. */
export const PULSE_MS = 60_000;
/**
 * A node that has been silent for this long counts as down. It may miss one report, and clocks differ a
 * little.
 */
export const SILENT_MS = 3 * PULSE_MS;
/** A node that has been silent for this long counts as removed. */
const KEPT_MS = DAY_MS;

/**
 * Returns the name of this node, unique on its database.
 *
 * @param port - of the service; 0 for one chosen by the system
 */
export function nodeName(port: number): string {
  return `${hostname()}:${String(port === 0 ? process.pid : port)}`;
}

const UNKNOWN: NodeFacts = { version: '', processes: 1, circuits: [] };

/** The nodes that share a database. */
export class Nodes extends EngineRepository {
  /** Stores a node's report, and forgets removed nodes. @param now - milliseconds since 1970 UTC */
  say(name: string, facts: NodeFacts, now: number): Promise<void> {
    const said = { heard_at: now, facts: JSON.stringify(facts) };
    return this.engine.write(async ({ kysely }) => {
      await kysely
        .insertInto('nodes')
        .values({ name, ...said })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(said))
        .execute();
      await kysely
        .deleteFrom('nodes')
        .where('heard_at', '<', now - KEPT_MS)
        .execute();
    });
  }

  /** Removes a node that shuts down. */
  leave(name: string): Promise<void> {
    return this.engine.write(async ({ kysely }) => {
      await kysely.deleteFrom('nodes').where('name', '=', name).execute();
    });
  }

  async list(): Promise<readonly NodeRecord[]> {
    const { kysely } = this.engine.reads ?? this.engine.direct;
    const rows = await kysely.selectFrom('nodes').selectAll().orderBy('name').execute();
    return rows.map(({ name, heard_at: heardAt, facts }) => ({
      ...UNKNOWN,
      // Only this program writes the facts, from this type; another version may have written more or fewer.
      ...(JSON.parse(facts) as Partial<NodeFacts>),
      name,
      heardAt,
    }));
  }
}
