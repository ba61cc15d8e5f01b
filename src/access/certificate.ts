import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** What a client certificate says of its owner. */
export interface ClientCertificate {
  /** SHA-256 in hexadecimal digits without colons. */
  readonly fingerprint: string;
  /** Attributes of the subject, in any order. */
  readonly subject: string;
}

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
  // A plain socket has none of these.
  const tls = socket as Partial<Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>>;
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
  const tls = socket as Partial<Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>> & {
    // The typings know the error that a client gets here, not the word that a server does.
    readonly authorizationError?: unknown;
  };
  if (tls.authorized !== false || typeof tls.authorizationError !== 'string') return undefined;
  const { fingerprint256 } = tls.getPeerCertificate?.call(socket) ?? {};
  return fingerprint256 === undefined ? undefined : tls.authorizationError;
}

/** A subject in one form, whatever the order of its attributes. */
export function subjectText(subject: object): string {
  const attributes = Object.entries(subject).map(([name, value]) => JSON.stringify([name, value]));
  return attributes.sort().join();
}
