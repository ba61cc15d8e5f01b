import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * One Ctrl-C reaches the process twice under `npm start`: the terminal signals the whole process group, and npm
 * hands its own signal on to its child. What comes this soon after the first signal is that same one.
 */
const SAME_SIGNAL_MS = 500;

export interface ShutdownActions {
  /** The first signal: stop in good order. */
  readonly stop: (signal: string) => void;
  /** The second: stop at once. `exitCode` is the one a shell shows for a process that the signal ended. */
  readonly abort: (signal: string, exitCode: number) => void;
}

/** Listens for SIGTERM and SIGINT from now on. */
export function onShutdownSignals({ stop, abort }: ShutdownActions): void {
  let firstAt: number | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const now = performance.now();
      if (firstAt === undefined) {
        firstAt = now;
        stop(signal);
      } else if (now - firstAt >= SAME_SIGNAL_MS) {
        abort(signal, 128 + constants.signals[signal]);
      }
    });
  }
}
