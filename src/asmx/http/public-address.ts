import type { TLSSocket } from 'node:tls';

import type { Request } from 'express';

import { readForwardedRequest } from './forwarded-request';

/** Address under which callers reach this server. */
export interface PublicAddress {
  readonly protocol: string;
  /** Host with its port, a default port omitted: `school.example:8080`. */
  readonly authority: string;
  /** Path prefix of this server: empty, or with a leading and without a trailing slash. */
  readonly prefix: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** Parses a configured address (`https://host:port/prefix`). */
export function parsePublicAddress(text: string): PublicAddress {
  const { protocol, host, pathname } = new URL(text);
  return { protocol: protocol.slice(0, -1), authority: host, prefix: pathname.replace(/(?<!\/)\/+$/, '') };
}

/**
 * Returns the address under which a caller reached this server: from the Host header, or from trusted proxies
 * if the application's "trust proxy" setting names some.
 */
export function readPublicAddress(request: Request): PublicAddress {
  const forwarded = readForwardedRequest(request);
  const protocol = forwarded?.protocol ?? ownProtocol(request);
  const [name, ownPort] = splitAuthority(forwarded?.host ?? requestedAuthority(request));
  // A port in a forwarded host is the caller's; one in the Host header may be the proxy's own.
  const port = forwarded?.host === undefined || ownPort === '' ? (forwarded?.port ?? ownPort) : ownPort;
  return {
    protocol,
    authority: port === '' || port === DEFAULT_PORTS[protocol] ? name : `${name}:${port}`,
    prefix: forwarded?.prefix ?? '',
  };
}

/** Splits a host into name and port; without a port, the port is empty. IPv6 addresses are in brackets. */
export function splitAuthority(authority: string): readonly [name: string, port: string] {
  const match = /^(.*?)(?::([0-9]*))?$/s.exec(authority);
  return [match?.[1] ?? authority, match?.[2] ?? ''];
}

/** Returns the scheme of a request's connection: `http` or `https`. */
export function ownProtocol({ socket }: Request): string {
  // A TLS socket has the property, a plain one does not.
  return (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
}

// HTTP/1.0 allows requests without a Host header; the local address serves instead.
function requestedAuthority({ headers: { host = '' }, socket }: Request): string {
  if (host !== '') return host;
  const { localAddress = 'localhost', localPort = 0 } = socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${String(localPort)}`;
}
