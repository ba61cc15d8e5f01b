import { BlockList, isIP } from 'node:net';

import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

import { ownText } from '../../support/own-text';
import { claimsToBeForwarded, readForwardedRequest } from './forwarded-request';

/**
 * Normalizes an address for comparison: without a zone, and an IPv4-mapped IPv6 address, as a dual-stack
 * socket reports it, as IPv4. Returns undefined for anything but an address.
 */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const [address = ''] = text.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (isIP(mapped) === 0) return undefined;
  // A part of a header that the caller wrote.
  const plain = ownText(mapped);
  if (text.length > MAX_CHARACTERS) return plain;
  remembered.set(ownText(text), plain);
  return plain;
}

// Called for every request.
const MAX_REMEMBERED = 1_000;
/** Longest address that is remembered, with its zone: the name of an interface on any system is shorter. */
const MAX_CHARACTERS = 128;
const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED });

export function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
}

/**
 * Returns the client's normalized address: from the trusted proxies, or else that of the connection.
 * Undefined if the proxies hide it.
 */
export function clientAddress(request: Request): string | undefined {
  const forwarded = readForwardedRequest(request);
  return plainAddress(forwarded === undefined ? request.socket.remoteAddress : forwarded.client);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Returns true for a request made on this machine. A forwarded request counts by its first sender, and only
 * if a trusted proxy names it: behind a proxy on this machine every stranger would look local.
 */
export function isLocalCaller(request: Request): boolean {
  const client = claimsToBeForwarded(request)
    ? readForwardedRequest(request)?.client
    : request.socket.remoteAddress;
  if (client === undefined) return false;
  const family = isIP(client);
  return family !== 0 && loopback.check(client, family === 6 ? 'ipv6' : 'ipv4');
}
