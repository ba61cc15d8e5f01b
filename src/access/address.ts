import { BlockList, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { groupsOf } from '../asmx/internal';
import { authorizationProblem } from './tls';

/**
 * Adds a network of an access file, `10.1.0.0/16` or one address, to a list; returns false for an invalid
 * one.
 */
export function addNetwork(list: BlockList, text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return false;
  list.addSubnet(address, bits === undefined ? longest : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

/** Returns true if an address is in one of the networks of a list. */
export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Returns the range of addresses that one caller can use at will: an IPv4 address, or an IPv6 network of 64
 * bits.
 */
export function networkKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return groupsOf(address).slice(0, 4).join(':');
}

/** Identity in a client certificate. */
interface ClientCertificate {
  /** SHA-256 in hexadecimal digits, without colons. */
  readonly fingerprint: string;
  /** Attributes of the subject, in any order. */
  readonly subject: string;
}

/** A plain socket has none of these. */
type MaybeTls = Partial<Pick<TLSSocket, 'authorized' | 'authorizationError' | 'getPeerCertificate'>>;

const known = new WeakMap<Socket, ClientCertificate | 'none'>();

/**
 * Returns the certificate that a connection's client has proved to own, if an issuer in TLS_CLIENT_CA_FILE
 * signed it.
 */
export function findCertificate(socket: Socket): ClientCertificate | undefined {
  const remembered = known.get(socket);
  if (remembered !== undefined) return remembered === 'none' ? undefined : remembered;
  const read = readCertificate(socket);
  known.set(socket, read ?? 'none');
  return read;
}

function readCertificate(socket: Socket): ClientCertificate | undefined {
  const tls = socket as MaybeTls;
  if (tls.authorized !== true) return undefined;
  const { fingerprint256, subject } = tls.getPeerCertificate?.call(socket) ?? {};
  if (fingerprint256 === undefined || subject === undefined) return undefined;
  return { fingerprint: fingerprint256.replaceAll(':', ''), subject: subjectText(subject) };
}

/**
 * Returns OpenSSL's word for why a client's certificate is rejected (`CERT_HAS_EXPIRED`). Undefined for a
 * valid one, and without one.
 */
export function certificateProblem(socket: Socket): string | undefined {
  const tls = socket as MaybeTls;
  if (tls.authorized !== false) return undefined;
  const { fingerprint256 } = tls.getPeerCertificate?.call(socket) ?? {};
  return fingerprint256 === undefined ? undefined : authorizationProblem(tls);
}

/** Normalizes a subject, whatever the order of its attributes. */
export function subjectText(subject: object): string {
  const attributes = Object.entries(subject).map(([name, value]) => JSON.stringify([name, value]));
  return attributes.sort().join();
}
