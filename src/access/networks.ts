import { type BlockList, isIP } from 'node:net';

import { groupsOf } from '../asmx/internal';

/**
 * Adds a network of an access file, `10.1.0.0/16` or one address, to a list; returns false for an invalid
 * one.
 */
export function addNetwork(list: BlockList, text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return false;
  list.addSubnet(address, bits === undefined ? longest : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

/** Returns true if an address is in one of the networks of a list. */
export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Returns the range of addresses that one caller can use at will: an IPv4 address, or an IPv6 network of 64
 * bits.
 */
export function networkKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return groupsOf(address).slice(0, 4).join(':');
}
