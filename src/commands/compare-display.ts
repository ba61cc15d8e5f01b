import { Presets, SingleBar } from 'cli-progress';

import type { Host } from './run-command';

/** Shows on a terminal how far a comparison is; elsewhere nothing. */
export class CompareDisplay {
  readonly #bar: SingleBar | undefined;

  constructor(output: Host['stdout'], isShown: boolean) {
    if (isShown && output.isTTY === true)
      this.#bar = new SingleBar(
        {
          format: '{bar} {percentage} % | {value} of {total} requests',
          stream: output,
          clearOnComplete: true,
        },
        Presets.shades_classic,
      );
  }

  begin(requests: number): void {
    this.#bar?.start(requests, 0);
  }

  readonly show = (done: number): void => {
    this.#bar?.update(done);
  };

  /** The next output begins on a line of its own. */
  end(): void {
    this.#bar?.stop();
  }
}
