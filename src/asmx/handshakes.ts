import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * Connections of the process whose TLS handshake is not finished. Node.js does not say which connection a TLS
 * socket encrypts, but both have the same addresses, and no two open connections do.
 */
const SOCKETS = new Map<string, Socket>();
const SECURED = new WeakMap<TLSSocket, Socket>();

/** @param socket a new connection, which speaks TLS */
export function beginHandshake(socket: Socket): void {
  const key = addressesOf(socket);
  SOCKETS.set(key, socket);
  socket.once('close', () => {
    if (SOCKETS.get(key) === socket) SOCKETS.delete(key);
  });
}

/** Returns the connection under a TLS socket whose handshake is done; undefined if it was closed before. */
export function socketUnder(secured: TLSSocket): Socket | undefined {
  const known = SECURED.get(secured);
  if (known !== undefined) return known;
  const key = addressesOf(secured);
  const socket = SOCKETS.get(key);
  SOCKETS.delete(key);
  if (socket !== undefined) SECURED.set(secured, socket);
  return socket;
}

export function isInHandshake(socket: Socket): boolean {
  return SOCKETS.size > 0 && SOCKETS.get(addressesOf(socket)) === socket;
}

function addressesOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(' ');
}
