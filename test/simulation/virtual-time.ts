import type { Timers } from '../../src/delivery/time';
import type { Random } from '../support/random';

interface Task {
  readonly due: number;
  readonly host: Host;
  readonly run: () => void;
}

/** More turns of the event loop than anything needs that waits for neither the scheduler nor the network. */
const TURNS_OF_A_STEP = 2;

/**
 * The time of a simulated world, and its scheduler: everything that waits, waits for a task of its own, and one
 * task after the other is run, by the time at which it is due and, of those due together, by the seed. Between two
 * steps nothing runs.
 */
export class VirtualTime {
  readonly random: Random;
  readonly #start: number;
  #tasks: Task[] = [];
  #jumps: readonly number[] = [];
  #offset = 0;
  #moments = 0;
  /** Milliseconds since the world began, whatever its clocks show. */
  elapsed = 0;

  /** @param start - what the clocks show at the beginning, in milliseconds since 1970 UTC */
  constructor(random: Random, start: number) {
    this.random = random;
    this.#start = start;
  }

  /** What every clock of the world shows. */
  readonly wall = (): number => this.#start + this.elapsed + this.#offset;

  /** Puts the clocks. */
  jump(milliseconds: number): void {
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
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
  }

  /** Runs the next task, and waits until all that follows from it has come to rest. */
  async step(): Promise<void> {
    this.#tasks = this.#tasks.filter(({ host }) => !host.isDead);
    let earliest = Number.POSITIVE_INFINITY;
    for (const task of this.#tasks) earliest = Math.min(earliest, dueOf(task));
    if (earliest === Number.POSITIVE_INFINITY) throw new Error('Nobody waits for anything');
    this.elapsed = Math.max(this.elapsed, earliest);
    const ready = this.#tasks.filter((task) => dueOf(task) <= this.elapsed);
    const next = ready[this.random.below(ready.length)];
    this.#tasks = this.#tasks.filter((task) => task !== next);
    next?.run();
    for (let turn = 0; turn < TURNS_OF_A_STEP; turn += 1) await new Promise(setImmediate);
  }
}

function dueOf({ due, host }: Task): number {
  return Math.max(due, host.stalledUntil);
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

  /** Whether it ended, or was kept from its work, between two moments. */
  wasDisturbed(from: number, to: number): boolean {
    return this.#disturbances.some((time) => time >= from && time <= to);
  }

  readonly nextTurn = (): Promise<void> => this.delay(0);

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
