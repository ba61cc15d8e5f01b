import { BlockList, isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';

import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

import { ownText } from '../../support/own-text';
import { splitOutsideQuotes } from './media-type';

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

/** One element of a Forwarded header: a proxy's description of the request it received. */
interface ForwardedElement {
  /** Address of the sender, without port and brackets; undefined if hidden or omitted. */
  readonly for: string | undefined;
  readonly proto: string | undefined;
  readonly host: string | undefined;
}

/** Reads a Forwarded header (RFC 7239, section 4); several header lines arrive joined with commas. */
export function readForwardedElements(header: string): readonly ForwardedElement[] {
  return splitOutsideQuotes(header, ',', '\\').map((element) => {
    const pairs = new Map(splitOutsideQuotes(element, ';', '\\').map(readPair));
    const sender = pairs.get('for');
    return {
      for: sender === undefined ? undefined : withoutPort(sender),
      proto: pairs.get('proto'),
      host: pairs.get('host'),
    };
  });
}

function readPair(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf('=');
  const value = pair.slice(equals + 1).trim();
  return [pair.slice(0, Math.max(equals, 0)).trim().toLowerCase(), unquoted(value)];
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}

/**
 * An IPv6 address is in brackets, either may have a port (RFC 7239, section 6). X-Forwarded-For has no
 * standard: most proxies write a bare address, IIS and Azure a port or brackets too.
 */
function withoutPort(node: string): string {
  if (isIP(node) !== 0) return node;
  const bracketed = /^\[([^\]]*)\]/.exec(node)?.[1];
  return bracketed ?? node.replace(/:[^:]*$/, '');
}

/**
 * A request as the trusted proxies in front of this server describe it; undefined for details that they leave
 * out.
 */
interface ForwardedRequest {
  /** Address of the first sender that is not a trusted proxy. */
  readonly client: string | undefined;
  readonly protocol: 'http' | 'https' | undefined;
  /** Host as the caller sent it, with or without a port. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  /** Path under which the proxy publishes this server, with a leading and without a trailing slash. */
  readonly prefix: string | undefined;
}

/**
 * Returns true for the address of a trusted proxy at the given hop: Express's own reading of "trust proxy".
 */
type Trust = (address: string | undefined, hop: number) => boolean;

/** Headers in which some proxies name a detail in place of X-Forwarded-Proto and X-Forwarded-Host. */
const OTHER_HEADERS = {
  'cloudfront-forwarded-proto': 'protocol',
  'front-end-https': 'protocol',
  'x-forwarded-scheme': 'protocol',
  'x-forwarded-ssl': 'protocol',
  'x-original-host': 'host',
} as const;
export type OtherForwardedHeader = keyof typeof OTHER_HEADERS;

/**
 * Setting of the application with those of these headers that its trusted proxies set; callers may send the
 * others.
 */
export const FORWARDED_HEADERS = 'forwarded headers';

const SCHEMES: Readonly<Record<string, 'http' | 'https'>> = {
  http: 'http',
  off: 'http',
  https: 'https',
  on: 'https',
};

const PREFIX = /^(?:\/[\w.~%+-]+)+\/?$/;

/**
 * Reads the X-Forwarded-For, -Proto, -Host, -Port and -Prefix headers, or else the Forwarded header (RFC
 * 7239), if the application's "trust proxy" setting trusts their writers. Proxies append to a list, so
 * the value of the farthest trusted proxy counts; the caller may have made up those before it. A header of
 * the application's setting {@link FORWARDED_HEADERS} counts in place of X-Forwarded-Proto or
 * X-Forwarded-Host, even where it is missing: a proxy that sets it may pass on what a caller has put into the
 * other one.
 *
 * @returns undefined for a request that no trusted proxy sent
 */
export function readForwardedRequest(request: Request): ForwardedRequest | undefined {
  // Express keeps the setting in this form internally; its typings say `any`.
  const trust = request.app.get('trust proxy fn') as Trust;
  if (!trust(request.socket.remoteAddress, 0)) return undefined;
  const { forwarded } = request.headers;
  const lists =
    forwarded === undefined || hasExtendedHeaders(request) ? extended(request) : standard(forwarded);

  const senders = [...lists.senders].reverse();
  let hops = 1;
  while (hops <= senders.length && trust(senders[hops - 1], hops)) hops += 1;
  const added = (values: readonly (string | undefined)[]): string | undefined =>
    values[Math.max(0, values.length - hops)];

  const others = request.app.get(FORWARDED_HEADERS) as readonly OtherForwardedHeader[] | undefined;
  const detail = (kind: 'protocol' | 'host', values: readonly (string | undefined)[]): string | undefined => {
    const other = others?.find((name) => OTHER_HEADERS[name] === kind);
    return other === undefined ? added(values) : request.header(other)?.split(',').at(-1)?.trim();
  };

  const protocol = detail('protocol', lists.protocols)?.toLowerCase() ?? '';
  const host = detail('host', lists.hosts);
  const port = added(lists.ports);
  const prefix = added(lists.prefixes);
  return {
    client: senders[Math.min(hops, senders.length) - 1],
    protocol: Object.hasOwn(SCHEMES, protocol) ? SCHEMES[protocol] : undefined,
    host: host === '' ? undefined : host,
    port: port !== undefined && /^[0-9]{1,5}$/.test(port) ? port : undefined,
    prefix: prefix !== undefined && PREFIX.test(prefix) ? prefix.replace(/\/$/, '') : undefined,
  };
}

/** Returns true for a request with forwarding headers, trusted or not. */
function claimsToBeForwarded({ headers }: Request): boolean {
  return Object.keys(headers).some((name) => FORWARDING.test(name));
}

const FORWARDING = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip)$/;

interface ForwardedLists {
  /** Senders in header order: the one nearest to this server is last. */
  readonly senders: readonly (string | undefined)[];
  readonly protocols: readonly (string | undefined)[];
  readonly hosts: readonly (string | undefined)[];
  readonly ports: readonly string[];
  readonly prefixes: readonly string[];
}

function hasExtendedHeaders({ headers }: Request): boolean {
  return Object.keys(headers).some((name) => /^x-forwarded-(?:for|proto|host|port|prefix)$/.test(name));
}

function extended(request: Request): ForwardedLists {
  const list = (name: string): readonly string[] =>
    request
      .header(name)
      ?.split(',')
      .map((value) => value.trim()) ?? [];
  return {
    senders: list('x-forwarded-for').map((sender) => withoutPort(unquoted(sender))),
    protocols: list('x-forwarded-proto'),
    hosts: list('x-forwarded-host'),
    ports: list('x-forwarded-port'),
    prefixes: list('x-forwarded-prefix'),
  };
}

function standard(header: string): ForwardedLists {
  const elements = readForwardedElements(header);
  return {
    senders: elements.map((element) => element.for),
    protocols: elements.map(({ proto }) => proto),
    hosts: elements.map(({ host }) => host),
    ports: [],
    prefixes: [],
  };
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

/** Splits a host into name and port; the port is empty if there is none. IPv6 addresses are in brackets. */
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

/**
 * Returns true for a request with two Host headers: a proxy in between may have checked the other one (RFC
 * 9112, section 3.2). Node keeps the first.
 */
export function namesTwoHosts({ rawHeaders }: Request): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  /** @param hosts names and addresses without a port; `*.school.example` matches every name below that one */
  constructor(hosts: readonly string[]) {
    const lower = hosts.map((host) => host.toLowerCase());
    this.#names = new Set(lower.filter((host) => !host.startsWith('*.')));
    this.#suffixes = lower.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  }

  /** @param authority host as in a Host header, with or without its port */
  has(authority: string): boolean {
    const name = splitAuthority(authority)[0].toLowerCase().replace(/\.$/, '');
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix) && isName(name));
  }
}

function isName(text: string): boolean {
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(text);
}

/**
 * Host names that an outsider cannot point at this server: addresses, localhost, names in the configuration,
 * and names from a trusted proxy. A foreign page can make a name of its own resolve to this server and then
 * read its answers (DNS rebinding).
 */
export class KnownHosts {
  readonly #named: AllowedHosts;

  /**
   * @param hosts as for {@link AllowedHosts}
   * @param publicAddress URL whose host is added, or undefined
   */
  constructor(hosts: readonly string[], publicAddress: string | undefined) {
    const own =
      publicAddress === undefined ? [] : [splitAuthority(parsePublicAddress(publicAddress).authority)[0]];
    this.#named = new AllowedHosts(['localhost', '*.localhost', ...hosts, ...own]);
  }

  /** Returns true for a request under a known host. A request without any host was not sent by a browser. */
  has(request: Request): boolean {
    return this.names(request) || readForwardedRequest(request)?.host !== undefined;
  }

  /** Checks the request's own Host header only: a foreign page can forge a proxy's headers. */
  names({ headers: { host } }: Request): boolean {
    if (host === undefined) return true;
    const [name] = splitAuthority(host);
    return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || this.#named.has(host);
  }
}
