import { type Engine, EngineRepository } from '../engine/engine';
import { type Mark, readMark, setMark, type TurnName } from './marks';

/**
 * Returns true until the time of a mark that reserves something.
 *
 * @param longest - milliseconds; a time further away was set with other settings, or by another clock
 */
export function isInForce(mark: Mark | undefined, now: number, longest: number): mark is Mark {
  return mark !== undefined && mark.at > now && mark.at <= now + longest;
}

/** Scheduled work that one of several processes and nodes does. */
export class Turns extends EngineRepository {
  readonly #name: TurnName;

  constructor(engine: Engine, name: TurnName) {
    super(engine);
    this.#name = name;
  }

  /**
   * Claims the work if it is due. If the process is killed, another can claim it after `withinMs`.
   *
   * @param now - milliseconds since 1970 UTC
   * @param everyMs - interval; a due time further away was set with other settings, or by another clock
   */
  takeTurn(now: number, everyMs: number, withinMs: number): Promise<boolean> {
    return this.engine.write(async (connection) => {
      await connection.lock([this.#name]);
      const next = await readMark(connection.kysely, `next ${this.#name}`);
      if (isInForce(next, now, Math.max(everyMs, withinMs))) return false;
      await setMark(connection.kysely, `next ${this.#name}`, { at: now + withinMs, detail: '' });
      return true;
    });
  }

  /** Sets the time of the next turn, in milliseconds since 1970 UTC. */
  setNext(at: number): Promise<void> {
    return this.engine.write(({ kysely }) => setMark(kysely, `next ${this.#name}`, { at, detail: '' }));
  }
}
