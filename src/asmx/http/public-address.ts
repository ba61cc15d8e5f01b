import type { Request } from 'express';
import type { TLSSocket } from 'node:tls';
import { readForwardedRequest } from './forwarded-request';

/** The address under which callers reach this server. */
export interface PublicAddress {
  readonly protocol: string;
  /** Host with its port, a default port left out: `school.example:8080`. */
  readonly authority: string;
  /** What stands before this server's own paths: empty, or with a slash at its start and none at its end. */
  readonly prefix: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** Takes a configured address (`https://host:port/prefix`) apart. */
export function parsePublicAddress(text: string): PublicAddress {
  const { protocol, host, pathname } = new URL(text);
  return { protocol: protocol.slice(0, -1), authority: host, prefix: pathname.replace(/(?<!\/)\/+$/, '') };
}

/**
 * The address under which a caller reached this server: as the Host header has it, and as trusted proxies say
 * where the application's "trust proxy" setting names some.
 */
export function readPublicAddress(request: Request): PublicAddress {
  const forwarded = readForwardedRequest(request);
  const protocol = forwarded?.protocol ?? ownProtocol(request);
  const [name, ownPort] = splitAuthority(forwarded?.host ?? requestedAuthority(request));
  // A port in a forwarded host is what the caller wrote; one in the Host header may be the proxy's own.
  const port = forwarded?.host === undefined || ownPort === '' ? (forwarded?.port ?? ownPort) : ownPort;
  return {
    protocol,
    authority: port === '' || port === DEFAULT_PORTS[protocol] ? name : `${name}:${port}`,
    prefix: forwarded?.prefix ?? '',
  };
}

/** Splits the port off a host; it is empty where there is none. An IPv6 address stands in brackets. */
export function splitAuthority(authority: string): readonly [name: string, port: string] {
  const match = /^(.*?)(?::([0-9]*))?$/s.exec(authority);
  return [match?.[1] ?? authority, match?.[2] ?? ''];
}

/** The scheme of the connection that a request came over: `http` or `https`. */
export function ownProtocol({ socket }: Request): string {
  // A TLS socket has the property, a plain one does not.
  return (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
}

// HTTP/1.0 knows requests without a Host header: the address they were sent to serves as well.
function requestedAuthority({ headers: { host = '' }, socket }: Request): string {
  if (host !== '') return host;
  const { localAddress = 'localhost', localPort = 0 } = socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${String(localPort)}`;
}

/**
 * Whether a request has two Host headers: who stands in between may have looked at the other one (RFC 9112, section
 * 3.2). Node keeps the first.
 */
export function namesTwoHosts({ rawHeaders }: Request): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** The host names under which this server may be addressed. */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  /** @param hosts names and addresses without a port; `*.school.example` stands for every name below that one */
  constructor(hosts: readonly string[]) {
    const lower = hosts.map((host) => host.toLowerCase());
    this.#names = new Set(lower.filter((host) => !host.startsWith('*.')));
    this.#suffixes = lower.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  }

  /** @param authority a host as in a Host header, with or without its port */
  has(authority: string): boolean {
    const name = splitAuthority(authority)[0].toLowerCase().replace(/\.$/, '');
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix) && isName(name));
  }
}

function isName(text: string): boolean {
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(text);
}
