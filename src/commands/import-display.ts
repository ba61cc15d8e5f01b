import { Presets, SingleBar } from 'cli-progress';

import type { ImportProgress } from '../store';
import type { Host } from './run-command';

/** Where there is no terminal: a line for each tenth of a file. */
const TENTHS = 10;

/** Shows how far an import is: a bar on a terminal, plain lines elsewhere (a log file, a pipe). */
export class ImportDisplay {
  readonly #output: Host['stdout'];
  #bar: SingleBar | undefined;
  #file = '';
  #tenths = 0;

  constructor(output: Host['stdout']) {
    this.#output = output;
  }

  readonly show = (progress: ImportProgress): void => {
    if (this.#output.isTTY === true) this.#showBar(progress);
    else this.#showLine(progress);
  };

  /** Leaves the bar as it stands; the next output begins on a line of its own. */
  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #showBar({ file, step, bytesRead, bytes, rows }: ImportProgress): void {
    if (file !== this.#file) this.end();
    this.#file = file;
    const payload = { file, step, rows: rows.toLocaleString('en') };
    if (this.#bar === undefined) {
      this.#bar = new SingleBar(
        { format: '{file} {bar} {percentage} % | {rows} rows | {step}', stream: this.#output },
        Presets.shades_classic,
      );
      // A file without a byte still fills its bar.
      this.#bar.start(Math.max(bytes, 1), 0, payload);
    }
    this.#bar.update(Math.max(bytesRead, Number(bytes === 0)), payload);
    // The last steps run in the database: the timer that draws the bar may wait for them.
    if (step !== 'reading') this.#bar.render();
  }

  #showLine({ file, step, bytesRead, bytes, rows }: ImportProgress): void {
    const tenths = bytes === 0 ? TENTHS : Math.floor((bytesRead / bytes) * TENTHS);
    if (step !== 'reading' || (file === this.#file && tenths === this.#tenths)) return;
    this.#file = file;
    this.#tenths = tenths;
    this.#output.write(`${file}: ${String(tenths * TENTHS)} % read, ${rows.toLocaleString('en')} rows\n`);
  }
}
