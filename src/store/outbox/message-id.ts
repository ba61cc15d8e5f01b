import { randomFillSync } from 'node:crypto';

const random = new Uint8Array(4096);
const RANDOM_PART = 10;
let used = random.length;
let lastTime = 0;
let counter = 0;

/**
 * A UUID of version 7 (RFC 9562): sorts by time, and within one process and millisecond by the order of the
 * calls (12 bits of counter, method 1), so that messages leave in the order they came.
 *
 * @param time - milliseconds since 1970 UTC
 */
export function newMessageId(time: number): string {
  if (time > lastTime) {
    lastTime = time;
    counter = 0;
  } else if (++counter > 0xfff) {
    // 4,096 in one millisecond: run ahead of the clock rather than out of order.
    lastTime += 1;
    counter = 0;
  }
  if (used + RANDOM_PART > random.length) {
    randomFillSync(random);
    used = 0;
  }
  const tail = Buffer.from(random.buffer, used, RANDOM_PART).toString('hex');
  used += RANDOM_PART;

  const stamp = lastTime.toString(16).padStart(12, '0');
  const sequence = counter.toString(16).padStart(3, '0');
  const variant = '89ab'.charAt(Number.parseInt(tail.charAt(0), 16) & 3);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${sequence}-${variant}${tail.slice(1, 4)}-${tail.slice(4, 16)}`;
}

/** What ids sort behind that are made at a time or later, and before which those are that were made earlier. */
export function firstMessageId(time: number): string {
  const stamp = time.toString(16).padStart(12, '0');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}`;
}

/** When a message's id was made, in milliseconds since 1970 UTC. */
export function timeOfMessageId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
