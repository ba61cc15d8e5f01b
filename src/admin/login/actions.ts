import type { Logger } from 'pino';

import { FEATURE_ACTION_LOG } from '../../features/feature';
import type { Store } from '../../store';
import { shown } from '../../support/text';
import type { Text, Words } from '../texts/words';

/** Names what users of the console, commands and the service itself do. */
export type ActionName =
  | 'log-in'
  | 'log-in refused'
  | 'log-out'
  | 'retry'
  | 'cancel'
  | 'export'
  | 'forget'
  | 'import'
  | 'import confirmed'
  | 'import undone'
  | 'settings reloaded'
  | 'cutover';

/** Something that was done, for the operators of the service. Contains no phone numbers. */
export interface Action {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Name of the console user, or one of `ACTORS`. */
  readonly who: string;
  readonly action: ActionName;
  /** Further facts by name. */
  readonly detail: Readonly<Record<string, string | number>>;
}

/** Keeps what was done. */
export interface ActionLog {
  /** Resolves when it is stored; some of many refused log-ins are left out. @throws StoreError */
  readonly record: (store: Pick<Store, 'write'>, done: Action) => Promise<void>;
  /** Lists the newest actions of a name. */
  readonly list: (
    store: Pick<Store, 'repository'>,
    action: ActionName,
    limit: number,
  ) => Promise<readonly Action[]>;
}

/** Has it recorded what is done now; resolves when that is stored. @throws StoreError */
export async function recordAction(store: Pick<Store, 'write'>, done: Omit<Action, 'at'>): Promise<void> {
  await FEATURE_ACTION_LOG?.record(store, { at: Date.now(), ...done });
}

/** Has it recorded what is done. An action does not fail with its record; the service's log then has both. */
export class ActionTrail {
  readonly #store: Pick<Store, 'write'>;
  readonly #logger: Logger;
  readonly #log: Pick<ActionLog, 'record'> | undefined;

  /** @param log - undefined records nothing */
  constructor(
    store: Pick<Store, 'write'>,
    logger: Logger,
    log: Pick<ActionLog, 'record'> | undefined = FEATURE_ACTION_LOG,
  ) {
    this.#store = store;
    this.#logger = logger;
    this.#log = log;
  }

  async note(who: string, action: ActionName, detail: Action['detail']): Promise<void> {
    try {
      await this.#log?.record(this.#store, { at: Date.now(), who, action, detail });
    } catch (error) {
      this.#logger.error({ err: error, who, action }, 'audit entry not stored');
    }
  }
}

/** Actors without a name of their own. */
const ACTORS = {
  'command line': 'command line',
  local: 'console without login',
  service: 'service',
  unknown: 'unknown',
} as const satisfies Readonly<Record<string, Text>>;

/** Names who did something: people by their names, others in words. */
export function actorText(who: string, words: Words): string {
  // It is a key.
  return Object.hasOwn(ACTORS, who) ? words.t(ACTORS[who as keyof typeof ACTORS]) : shown(who);
}
