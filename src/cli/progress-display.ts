import { Presets, SingleBar } from 'cli-progress';

import { numberText } from '../support/text';
import type { Host } from './run-command';

/** How far long work is. */
export interface Progress {
  /** What the work is on, where it goes from one thing to the next; each has a bar of its own. */
  readonly part?: string;
  readonly done: number;
  /** Of a part that has nothing in it, 0; it counts as done. */
  readonly of: number;
  /** What stands behind the bar. */
  readonly text: string;
  /** What stands behind the percentage where there is no terminal; nothing is written there without it. */
  readonly line?: string | undefined;
}

/** Where there is no terminal: a line for each tenth. */
const TENTHS = 10;

/** Shows how far long work is: a bar on a terminal, plain lines elsewhere (a log file, a pipe). */
export class ProgressDisplay {
  readonly #output: Host['stdout'];
  readonly #clears: boolean;
  #bar: SingleBar | undefined;
  #part = '';
  #tenths = 0;

  /** @param options.clears - whether nothing is left of the bar when all is done */
  constructor(output: Host['stdout'], { clears = false } = {}) {
    this.#output = output;
    this.#clears = clears;
  }

  readonly show = (progress: Progress): void => {
    if (this.#output.isTTY === true) this.#showBar(progress);
    else this.#showLine(progress);
  };

  /** Leaves the bar as it stands; the next output begins on a line of its own. */
  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #showBar({ part = '', done, of, text }: Progress): void {
    if (part !== this.#part) this.end();
    this.#part = part;
    const payload = { part: part === '' ? '' : `${part} `, text };
    if (this.#bar === undefined) {
      const format = '{part}{bar} {percentage} % | {text}';
      this.#bar = new SingleBar(
        { format, stream: this.#output, clearOnComplete: this.#clears },
        Presets.shades_classic,
      );
      this.#bar.start(Math.max(of, 1), 0, payload);
    }
    this.#bar.update(of === 0 ? 1 : done, payload);
    // The last steps run in the database: the timer that draws the bar may wait for them.
    if (done >= of) this.#bar.render();
  }

  #showLine({ part = '', done, of, line }: Progress): void {
    const tenths = of === 0 ? TENTHS : Math.floor((done / of) * TENTHS);
    if (line === undefined || (part === this.#part && tenths === this.#tenths)) return;
    this.#part = part;
    this.#tenths = tenths;
    this.#output.write(`${part === '' ? '' : `${part}: `}${String(tenths * TENTHS)} % ${line}\n`);
  }
}

/**
 * Of work on things that are counted.
 *
 * @param unit - what is counted, in the plural
 * @param what - is being done; a word or few
 */
export function countedProgress(unit: string, what: string, done: number, of: number): Progress {
  const line = `of ${numberText(of)} ${unit}, ${what}`;
  return { done, of, text: `${numberText(done)} ${line}`, line };
}
