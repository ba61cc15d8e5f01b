import { LRUCache } from 'lru-cache';

import { canonicalSchoolUrl, type Store } from '../store';
import { ownText } from '../support/own-text';
import { MAX_LENGTHS, required, requiredCharacter } from './arguments';
import type { Operation } from './contract';
import type { ContractOperations } from './contract-types';

/** Number of entries up to which a list is so fast to write that it does not count. */
const LONG = 500;
/**
 * Approximate number of entries of long lists written in one turn of the event loop: some milliseconds of
 * work.
 */
const ENTRIES_PER_TURN = 2_000;

interface GetStudentSchoolDependencies {
  readonly students: Pick<Store['students'], 'ofSchool'>;
}

/** Lists the students of a school with a flag, by id; none for an unknown school. */
export function getStudentSchool({ students }: GetStudentSchoolDependencies): Operation<'GetStudentSchool'> {
  const longLists = new LongLists();
  /** Results by the store's lists: the store returns the same list until it changes. */
  const results = new WeakMap<object, ContractOperations['GetStudentSchool']['result']>();
  return async (args, call) => {
    const school = canonicalSchoolUrl(required(args, 'school_base_url', MAX_LENGTHS.url));
    const flag = requiredCharacter(args, 'show_active');
    const list = await longLists.make(`${flag} ${school}`, () => students.ofSchool(school, flag));
    call.annotate({ entries: list.length });
    const known = results.get(list);
    if (known !== undefined) return known;
    const result = list.map(({ id, fullName, deviceId, showActive }) => ({
      id_student: id,
      fullName,
      id_device: deviceId,
      ShowActive: showActive,
    }));
    results.set(list, Object.freeze(result));
    return result;
  };
}

/** Maximum number of lists whose lengths are remembered: at most 4 MB with their names. */
const MAX_REMEMBERED = 1_000;

/**
 * Spreads long lists over turns of the event loop. Simultaneous requests would otherwise be answered one
 * after the other without a pause, delaying everyone else until the last one. A list is counted before it is
 * read, with its last length; a list of unknown length counts as long.
 */
class LongLists {
  readonly #waiting: (() => void)[] = [];
  readonly #lengths = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  /** Number of entries written or being written in this turn of the event loop. */
  #made = 0;
  #begun = 0;
  #isTurnEndAwaited = false;

  async make<Entry>(name: string, read: () => Promise<readonly Entry[]>): Promise<readonly Entry[]> {
    if (this.#isFull || this.#waiting.length > 0) await this.#turn();
    const expected = this.#lengths.get(name) ?? LONG;
    this.#begun += expected;
    try {
      const list = await read();
      this.#remember(name, list.length);
      if (list.length >= LONG) this.#made += list.length;
      return list;
    } finally {
      this.#begun -= expected;
      if (this.#made > 0 || this.#waiting.length > 0) this.#awaitTurnEnd();
    }
  }

  /** True once this turn of the event loop has enough of them. */
  get #isFull(): boolean {
    return this.#made + this.#begun >= ENTRIES_PER_TURN;
  }

  /** Resolves in a turn of the event loop with room: one list per turn, first come, first served. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #remember(name: string, length: number): void {
    // Callers can make up any number of names; those have no entries.
    if (length === 0 || this.#lengths.peek(name) === length) return;
    this.#lengths.set(ownText(name), length);
  }

  #awaitTurnEnd(): void {
    if (this.#isTurnEndAwaited) return;
    this.#isTurnEndAwaited = true;
    setImmediate(() => {
      this.#isTurnEndAwaited = false;
      this.#made = 0;
      if (this.#isFull) return;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#awaitTurnEnd();
    });
  }
}
