import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { authorizationProblem } from './tls';

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
