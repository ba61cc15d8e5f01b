import type { Request } from 'express';
import { BlockList, isIP } from 'node:net';
import { plainAddress } from './address';
import { splitOutsideQuotes } from './split-outside-quotes';

/** One element of a Forwarded header: what one proxy says of the request it got. */
export interface ForwardedElement {
  /** Address of the sender, without port and brackets; undefined where it is hidden or left out. */
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
  const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  return [pair.slice(0, Math.max(equals, 0)).trim().toLowerCase(), text];
}

// An IPv6 address stands in brackets, an IPv4 address may carry a port (RFC 7239, section 6).
function withoutPort(node: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(node)?.[1];
  return bracketed ?? node.replace(/:[^:]*$/, '');
}

/** What the trusted proxies in front of this server say of a request; undefined is what they do not say. */
export interface ForwardedRequest {
  /** Address of the first sender that is no trusted proxy. */
  readonly client: string | undefined;
  readonly protocol: 'http' | 'https' | undefined;
  /** Host as the caller wrote it, with or without a port. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  /** Path under which the proxy publishes this server, with a slash at its start and none at its end. */
  readonly prefix: string | undefined;
}

/** Whether the sender so many hops away is a proxy to be believed: Express's own reading of "trust proxy". */
type Trust = (address: string | undefined, hop: number) => boolean;

const PREFIX = /^(?:\/[\w.~%+-]+)+\/?$/;

/**
 * Reads the X-Forwarded-For, -Proto, -Host, -Port and -Prefix headers, or the Forwarded header (RFC 7239) where
 * there is none of them, as far as the application's "trust proxy" setting believes their writers. A proxy adds
 * at the end of a list, so what counts is the value that the farthest trusted proxy added; what stands before
 * it, the caller may have made up.
 *
 * @returns undefined where the request was not sent by a trusted proxy
 */
export function readForwardedRequest(request: Request): ForwardedRequest | undefined {
  // Express keeps the setting in this form for its own use; its typings say `any`.
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

  const protocol = added(lists.protocols)?.toLowerCase();
  const host = added(lists.hosts);
  const port = added(lists.ports);
  const prefix = added(lists.prefixes);
  return {
    client: senders[Math.min(hops, senders.length) - 1],
    protocol: protocol === 'http' || protocol === 'https' ? protocol : undefined,
    host: host === '' ? undefined : host,
    port: port !== undefined && /^[0-9]{1,5}$/.test(port) ? port : undefined,
    prefix: prefix !== undefined && PREFIX.test(prefix) ? prefix.replace(/\/$/, '') : undefined,
  };
}

/** Whether a request says that somebody passed it on, trusted or not. */
export function claimsToBeForwarded({ headers }: Request): boolean {
  return Object.keys(headers).some((name) => FORWARDING.test(name));
}

const FORWARDING = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip)$/;

interface ForwardedLists {
  /** In the order of the headers: the one nearest to this server last. */
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
    senders: list('x-forwarded-for'),
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
 * Address of the client, in its plain form: as the trusted proxies say, else that of the connection. Undefined where
 * they hide it.
 */
export function clientAddress(request: Request): string | undefined {
  const forwarded = readForwardedRequest(request);
  return plainAddress(forwarded === undefined ? request.socket.remoteAddress : forwarded.client);
}

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
