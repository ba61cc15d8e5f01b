/** Memory for short texts, so that they need none of their own. */
const SHORT = new Uint16Array(1024);
/** Number of units that one call turns into a text; more arguments would need a larger stack. */
const MAX_ARGUMENTS = 128;

/**
 * Returns memory for the UTF-16 units of a text that is written unit by unit: putting a long text together
 * from many parts takes twenty times as long. It is in use until {@link textOf} is called.
 */
export function unitsFor(length: number): Uint16Array {
  return length <= SHORT.length ? SHORT : new Uint16Array(length);
}

/** Returns the text of the first units. */
export function textOf(units: Uint16Array, length: number): string {
  const used = units.subarray(0, length);
  // The function takes anything like an array.
  if (length <= MAX_ARGUMENTS) return String.fromCharCode.apply(undefined, used as unknown as number[]);
  let all = 0;
  for (let at = 0; at < length; at += 1) all |= used[at] ?? 0;
  if (all <= 0xff) return Buffer.from(used).toString('latin1');
  return Buffer.from(used.buffer, used.byteOffset, used.byteLength).toString('utf16le');
}
