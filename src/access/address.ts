import { BlockList, isIP } from 'node:net';

import { groupsOf } from '../asmx';

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

/** What one caller may take a new address in at will: an address of IPv4, the network of 64 bits of IPv6. */
export function placeOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return groupsOf(address).slice(0, 4).join(':');
}
