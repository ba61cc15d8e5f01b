import type { Timers } from '../../src/delivery/clock';
import type { Random } from '../harness/random';

interface Task {
  readonly due: number;
  readonly host: Host;
  readonly run: () => void;
}

/**
 * The time of a simulated world, and its scheduler: everything that waits, waits for a task of its own, and one
 * task after the other is run, by the time at which it is due and, of those due together, by the seed. Between two
 * steps nothing runs.
 */
export class VirtualTime {
  readonly random: Random;
  readonly #start: number;
  readonly #turnsOfStep: number;
  #tasks: Task[] = [];
  #jumps: readonly number[] = [];
  #offset = 0;
  #latest = Number.NEGATIVE_INFINITY;
  #moments = 0;
  /** Milliseconds since the world began, whatever its clocks show. */
  elapsed = 0;

  /**
   * @param start - what the clocks show at the beginning, in milliseconds since 1970 UTC
   * @param turnsOfStep - turns of the event loop in which what follows from a task comes to rest
   */
  constructor(random: Random, start: number, turnsOfStep: number) {
    this.random = random;
    this.#start = start;
    this.#turnsOfStep = turnsOfStep;
  }

  /** Returns what every clock of the world shows. */
  readonly wall = (): number => this.#start + this.elapsed + this.#offset;

  /** The latest time that the clocks have shown so far. */
  get latest(): number {
    return Math.max(this.#latest, this.wall());
  }

  /** Puts the clocks. */
  jump(milliseconds: number): void {
    this.#latest = this.latest;
    this.#offset += milliseconds;
    this.#jumps = [...this.#jumps, this.moment()];
  }

  /** The moments of a world are in order, also those of one millisecond. */
  moment(): number {
    return (this.#moments += 1);
  }

  /** Between two moments. */
  hasJumped(from: number, to: number): boolean {
    return this.#jumps.some((time) => time >= from && time <= to);
  }

  /** @returns what calls it off */
  schedule(host: Host, inMs: number, run: () => void): () => void {
    const task = { due: this.elapsed + inMs, host, run };
    this.#tasks.push(task);
    return () => {
      const at = this.#tasks.indexOf(task);
      if (at >= 0) this.#tasks.splice(at, 1);
    };
  }

  /** Runs the next task, and waits until all that follows from it has come to rest. */
  async step(): Promise<void> {
    let earliest = Number.POSITIVE_INFINITY;
    let ready: Task[] = [];
    for (const task of this.#tasks) {
      if (task.host.isDead) continue;
      const due = Math.max(task.due, task.host.stalledUntil, this.elapsed);
      if (due < earliest) {
        earliest = due;
        ready = [task];
      } else if (due === earliest) ready.push(task);
    }
    if (ready.length === 0) throw new Error('Nobody waits for anything');
    this.elapsed = earliest;
    const next = ready[this.random.below(ready.length)];
    this.#tasks = this.#tasks.filter((task) => task !== next && !task.host.isDead);
    next?.run();
    for (let turn = 0; turn < this.#turnsOfStep; turn += 1) await new Promise(setImmediate);
  }
}

/** A process: it can stand still, and end between any two of its steps. Its timers are the delivery's. */
export class Host implements Timers {
  readonly name: string;
  readonly #time: VirtualTime;
  /** How much later than it should a repeated timer comes: a busy process is late. */
  readonly #lateness: number;
  #crash: () => void = () => undefined;
  /** Rejects when the process ends. */
  readonly end: Promise<never>;
  #disturbances: readonly number[] = [];
  isDead = false;
  stalledUntil = 0;

  constructor(name: string, time: VirtualTime, lateness = 1) {
    this.name = name;
    this.#time = time;
    this.#lateness = lateness;
    this.end = new Promise((_resolve, reject) => {
      this.#crash = () => {
        reject(new Error('The process ended.'));
      };
    });
    this.end.catch(() => undefined);
  }

  crash(): void {
    this.isDead = true;
    this.disturb();
    this.#crash();
  }

  stall(milliseconds: number): void {
    this.stalledUntil = this.#time.elapsed + milliseconds;
    this.disturb();
  }

  /** Something happened to it now that may keep it from recording what it did. */
  disturb(): void {
    this.#disturbances = [...this.#disturbances, this.#time.moment()];
  }

  /** Returns true if it ended, or was kept from its work, between two moments. */
  wasDisturbed(from: number, to: number): boolean {
    return this.#disturbances.some((time) => time >= from && time <= to);
  }

  readonly nextTurn = (): Promise<void> => this.delay(0);

  readonly elapsed = (): number => this.#time.elapsed;

  readonly delay = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      this.after(ms, resolve);
    });

  readonly after = (ms: number, action: () => void): (() => void) => this.#time.schedule(this, ms, action);

  readonly every = (ms: number, action: () => void): (() => void) => {
    let ended = false;
    let callOff: () => void = () => undefined;
    const again = (): void => {
      callOff = this.after(ms * this.#lateness, () => {
        action();
        if (!ended) again();
      });
    };
    again();
    return () => {
      ended = true;
      callOff();
    };
  };
}
