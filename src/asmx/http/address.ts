import { isIP } from 'node:net';

/**
 * The form that an address is compared in: without a zone, and IPv4 as such where a socket for both families
 * wrote it as IPv6. Undefined for what is no address.
 */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const [address = ''] = text.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (isIP(mapped) === 0) return undefined;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, mapped);
  return mapped;
}

// Every request asks.
const MOST_REMEMBERED = 1_000;
const remembered = new Map<string, string>();

/** The groups of an IPv6 address, all eight of them. */
export function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
}
