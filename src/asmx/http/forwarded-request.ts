import { isIP } from 'node:net';

import type { Request } from 'express';

import { splitOutsideQuotes } from './media-type';

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
export function claimsToBeForwarded({ headers }: Request): boolean {
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
