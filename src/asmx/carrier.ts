import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The connection that TLS is spoken over, which the typings leave out; without TLS the connection itself. */
export function carrierOf(socket: Socket): Socket {
  return socket instanceof TLSSocket ? (socket as unknown as { readonly _parent: Socket })._parent : socket;
}
