import { canonicalSchoolUrl, type Store } from '../store';
import { LONGEST, required } from './arguments';
import type { Operation } from './contract';

/** A shorter list is made so soon that it does not count. */
const LONG = 500;
/** So many entries of long lists are made in one turn of the event loop, about: some milliseconds of work. */
const ENTRIES_PER_TURN = 2_000;

export interface GetStudentSchoolDependencies {
  readonly students: Pick<Store['students'], 'ofSchool'>;
}

/** Lists the students of a school that carry a flag, by id; none for an unknown school. */
export function getStudentSchool({ students }: GetStudentSchoolDependencies): Operation<'GetStudentSchool'> {
  const longLists = new LongLists();
  return async (args, call) => {
    const school = canonicalSchoolUrl(required(args, 'school_base_url', LONGEST.url));
    const flag = required(args, 'show_active', LONGEST.flag);
    if (longLists.isFull) await longLists.turn();
    const list = await students.ofSchool(school, flag);
    longLists.made(list.length);
    call.annotate({ entries: list.length });
    return list.map(({ id, fullName, deviceId, showActive }) => ({
      id_student: id,
      fullName,
      id_device: deviceId,
      ShowActive: showActive,
    }));
  };
}

/**
 * Has long lists take turns. Those that are asked for at the same time would be made one behind the other
 * without a pause, and until the last was made nobody else would be answered.
 */
class LongLists {
  readonly #waiting: (() => void)[] = [];
  #entries = 0;
  #isTurnEndAwaited = false;

  /** Whether this turn of the event loop has made enough of them. */
  get isFull(): boolean {
    return this.#entries >= ENTRIES_PER_TURN || this.#waiting.length > 0;
  }

  /** Resolves in a turn of the event loop that has made none yet: one a turn, first come, first served. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#awaitTurnEnd();
    });
  }

  /** Counts a list that was made. */
  made(entries: number): void {
    if (entries < LONG) return;
    this.#entries += entries;
    this.#awaitTurnEnd();
  }

  #awaitTurnEnd(): void {
    if (this.#isTurnEndAwaited) return;
    this.#isTurnEndAwaited = true;
    setImmediate(() => {
      this.#isTurnEndAwaited = false;
      this.#entries = 0;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#awaitTurnEnd();
    });
  }
}
