import type { Engine } from '../engine/engine';
import type { MessageChannel } from '../outbox/channels';
import { DAY_MS } from './counted';

/** How a node says it is: all of its processes together. */
export interface NodeFacts {
  readonly version: string;
  /** Those that answer or deliver. */
  readonly processes: number;
  /** Whether each provider is left alone by the node's worker; empty where none delivers there. */
  readonly circuits: readonly {
    readonly channel: MessageChannel;
    readonly isOpen: boolean;
    /** Whether it is so because the provider refuses the account. */
    readonly isStopped?: boolean;
  }[];
  /** Whether the old server answered the last request that was passed on to it; undefined before the first one. */
  readonly oldServerAnswers?: boolean | undefined;
  /** When the certificate that it presents expires, in milliseconds since 1970 UTC; undefined without TLS. */
  readonly certificateEndsAt?: number | undefined;
  /** When its clock last jumped, in milliseconds since 1970 UTC; undefined where it has not. */
  readonly clockJumpedAt?: number | undefined;
  /** Where its data folder is, in bytes; undefined where the system does not tell. */
  readonly disk?: { readonly free: number; readonly size: number } | undefined;
}

export interface NodeRecord extends NodeFacts {
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly heardAt: number;
}

/** How often a node says how it is. */
export const PULSE_MS = 60_000;
/** A node that was not heard of for so long does not work. It may miss a minute, and clocks differ a little. */
export const SILENT_MS = 3 * PULSE_MS;
/** A node that was not heard of for so long was taken away. */
const KEPT_MS = DAY_MS;

const UNKNOWN: NodeFacts = { version: '', processes: 1, circuits: [] };

/** The nodes that work on one database. */
export class Nodes {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Says how a node is, and forgets those that were taken away. @param now - milliseconds since 1970 UTC */
  say(name: string, facts: NodeFacts, now: number): Promise<void> {
    const said = { heard_at: now, facts: JSON.stringify(facts) };
    return this.#engine.write(async ({ kysely }) => {
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

  /** The node ends as it should. */
  leave(name: string): Promise<void> {
    return this.#engine.write(async ({ kysely }) => {
      await kysely.deleteFrom('nodes').where('name', '=', name).execute();
    });
  }

  /** All of them, by their names. */
  async list(): Promise<readonly NodeRecord[]> {
    const { kysely } = this.#engine.reads ?? this.#engine.direct;
    const rows = await kysely.selectFrom('nodes').selectAll().orderBy('name').execute();
    return rows.map(({ name, heard_at: heardAt, facts }) => ({
      ...UNKNOWN,
      // Only this program writes them, from this type; another version of it may have written more or less.
      ...(JSON.parse(facts) as Partial<NodeFacts>),
      name,
      heardAt,
    }));
  }
}
