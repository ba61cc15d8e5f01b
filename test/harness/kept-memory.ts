import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // What the flag has just added.

export const MEGABYTE = 2 ** 20;

/** Bytes that are used after collections of garbage: long texts lie outside V8's heap, and are freed a turn later. */
async function usedBytes(): Promise<number> {
  for (let turn = 0; turn < 2; turn += 1) {
    await nextTurn();
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Returns how many bytes are kept after some work, beyond those that its first turn keeps.
 *
 * @param work - is called with 0 first, then with each number up to `times`
 */
export async function keptBytes(times: number, work: (at: number) => unknown): Promise<number> {
  await work(0);
  const before = await usedBytes();
  for (let at = 1; at <= times; at += 1) await work(at);
  return (await usedBytes()) - before;
}

/** Returns a text as a request contains it: cut out of a long one. */
export function cutOut(text: string, length = MEGABYTE): string {
  return Buffer.from(text.padEnd(length)).toString().slice(0, text.length);
}
