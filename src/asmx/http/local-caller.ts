import { BlockList, isIP } from 'node:net';
import type { Request } from 'express';
import { claimsToBeForwarded, readForwardedRequest } from './forwarded-request';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether a request was made on this machine. One that was passed on counts by its first sender, and only if a
 * trusted proxy names it: a proxy on this machine makes every stranger look local.
 */
export function isLocalCaller(request: Request): boolean {
  const client = claimsToBeForwarded(request)
    ? readForwardedRequest(request)?.client
    : request.socket.remoteAddress;
  if (client === undefined) return false;
  const family = isIP(client);
  return family !== 0 && loopback.check(client, family === 6 ? 'ipv6' : 'ipv4');
}
