import { BlockList, isIP } from 'node:net';

/** A network of an access file, `10.1.0.0/16` or one address, put into a list; false for what is none. */
export function addNetwork(list: BlockList, text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return false;
  list.addSubnet(address, bits === undefined ? longest : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

/** Whether an address is in one of the networks of a list. */
export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The form that an address is compared in: without a zone, and IPv4 as such where a socket for both families
 * wrote it as IPv6. Undefined for what is no address.
 */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [address = ''] = text.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return isIP(mapped) === 0 ? undefined : mapped;
}

/** What one caller may take a new address in at will: an address of IPv4, the network of 64 bits of IPv6. */
export function placeOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return groupsOf(address).slice(0, 4).join(':');
}

function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
}
