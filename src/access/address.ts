import { BlockList, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { groupsOf } from '../asmx';
import { authorizationProblem } from './tls';

/** A network of an access file, `10.1.0.0/16` or one address, put into a list; false for what is none. */
export function addNetwork(list: BlockList, text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return false;
  list.addSubnet(address, bits === undefined ? longest : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

/** Whether an address is in one of the networks of a list. */
export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** What one caller may take a new address in at will: an address of IPv4, the network of 64 bits of IPv6. */
export function placeOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return groupsOf(address).slice(0, 4).join(':');
}

/** What a client certificate says of its owner. */
interface ClientCertificate {
  /** SHA-256 in hexadecimal digits without colons. */
  readonly fingerprint: string;
  /** Attributes of the subject, in any order. */
  readonly subject: string;
}

/** A plain socket has none of these. */
type MaybeTls = Partial<Pick<TLSSocket, 'authorized' | 'authorizationError' | 'getPeerCertificate'>>;

const known = new WeakMap<Socket, ClientCertificate | 'none'>();

/** The certificate that a connection's client proved to own and that TLS_CLIENT_CA_FILE vouches for. */
export function certificateOf(socket: Socket): ClientCertificate | undefined {
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
 * Why a certificate that a client presented does not count, in OpenSSL’s word for it (`CERT_HAS_EXPIRED`). Undefined
 * where it presented none, or one that does.
 */
export function certificateProblem(socket: Socket): string | undefined {
  const tls = socket as MaybeTls;
  if (tls.authorized !== false) return undefined;
  const { fingerprint256 } = tls.getPeerCertificate?.call(socket) ?? {};
  return fingerprint256 === undefined ? undefined : authorizationProblem(tls);
}

/** A subject in one form, whatever the order of its attributes. */
export function subjectText(subject: object): string {
  const attributes = Object.entries(subject).map(([name, value]) => JSON.stringify([name, value]));
  return attributes.sort().join();
}
