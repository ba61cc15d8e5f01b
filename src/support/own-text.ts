/**
 * Copies a text out of the one that it was cut from. V8 keeps a part of a text as a reference to the whole,
 * so a short key of a map would keep the request that it came from in memory. Everything that outlives its
 * request is copied.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}
