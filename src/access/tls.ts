import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import {
  createSecureContext,
  type SecureContextOptions,
  type Server,
  type TlsOptions,
  type TLSSocket,
} from 'node:tls';

import type { Logger } from 'pino';

import { type Config, type OperatorFile, readOperatorFile, type Reloadable, SettingError } from '../config';
import { attempted, errorMessage, errorWord, type Finding, OperatorError } from '../support/errors';
import { DAY_MS } from '../support/durations';

interface TlsPaths {
  readonly certificate: string;
  readonly key: string;
  /** CA certificates for callers; undefined without client certificates. */
  readonly clientCa: string | undefined;
}

/** Contents of the files when they were read. */
interface TlsMaterial {
  readonly context: SecureContextOptions;
  /** The service's own certificate, without intermediate ones. */
  readonly certificate: X509Certificate;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the files, and verifies that TLS works with them.
 *
 * @throws OperatorError if one is unreadable or unusable, or they do not match; without any of a key
 */
export function readTlsFiles(paths: TlsPaths): TlsMaterial {
  const certificateFile = readOperatorFile(paths.certificate, 'TLS_CERT_FILE');
  const keyFile = readOperatorFile(paths.key, 'TLS_KEY_FILE');
  const clientCaFile =
    paths.clientCa === undefined ? undefined : readOperatorFile(paths.clientCa, 'TLS_CLIENT_CA_FILE');

  const certificates = certificatesIn(certificateFile);
  const [certificate] = certificates;
  refuseOtherKey(keyFile, certificateFile, certificates);
  if (clientCaFile !== undefined) certificatesIn(clientCaFile);

  const context = { cert: certificateFile.text, key: keyFile.text, ca: clientCaFile?.text };
  try {
    createSecureContext(context);
  } catch (cause) {
    throw new OperatorError(
      `Cannot use TLS_CERT_FILE, TLS_KEY_FILE and TLS_CLIENT_CA_FILE: ${errorMessage(cause)}.`,
      { cause },
    );
  }
  return { context, certificate };
}

function certificatesIn({ name, text }: OperatorFile): readonly [X509Certificate, ...X509Certificate[]] {
  try {
    const [first, ...others] = (text.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));
    if (first !== undefined) return [first, ...others];
  } catch (cause) {
    throw new OperatorError(`${name} contains an invalid certificate.`, { cause });
  }
  throw new OperatorError(`${name} contains no certificate in PEM format.`);
}

function refuseOtherKey(
  keyFile: OperatorFile,
  certificateFile: OperatorFile,
  [own, ...others]: readonly [X509Certificate, ...X509Certificate[]],
): void {
  const key = keyIn(keyFile);
  if (own.checkPrivateKey(key)) return;
  const hint = others.some((certificate) => certificate.checkPrivateKey(key))
    ? '; it belongs to a later one. Put the service’s own certificate first'
    : '';
  throw new OperatorError(
    `The key in ${keyFile.name} does not belong to the first certificate in ${certificateFile.name}${hint}.`,
  );
}

function keyIn({ name, path, text }: OperatorFile): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    // A service that starts unattended cannot ask for a passphrase.
    throw new OperatorError(
      /\bENCRYPTED\b/.test(text)
        ? `The key in ${name} is encrypted. To remove the passphrase: openssl pkey -in ${path} -out NEW-FILE`
        : `${name} contains no private key in PEM format.`,
      { cause },
    );
  }
}

/**
 * Remaining validity below which a warning is given; for short-lived certificates the last third of their
 * lifetime.
 */
const WARN_WITHIN_MS = 21 * DAY_MS;

/** TLS settings of the service's port: its certificate, and the callers it accepts. */
class ServerTls implements Reloadable {
  readonly settings = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CLIENT_CA_FILE'] as const;
  readonly #paths: TlsPaths;
  readonly #demandsCertificates: boolean;
  readonly #logger: Logger;
  readonly #servers: Server[] = [];
  readonly #warning: NodeJS.Timeout;
  #material: TlsMaterial;

  /**
   * Warns once a day of a certificate that expires soon.
   *
   * @param demandsCertificates true to admit only callers with a certificate from `paths.clientCa`
   * @throws OperatorError when the files cannot be used
   */
  constructor(paths: TlsPaths, demandsCertificates: boolean, logger: Logger) {
    this.#paths = paths;
    this.#demandsCertificates = demandsCertificates;
    this.#logger = logger;
    this.#material = readTlsFiles(paths);
    this.#warning = setInterval(() => this.#warn(), DAY_MS).unref();
  }

  /** Options for a server of node:https or node:tls. */
  get options(): TlsOptions {
    return {
      ...this.#material.context,
      minVersion: 'TLSv1.2',
      maxVersion: 'TLSv1.3',
      // A caller that changes its certificate needs another connection.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      requestCert: this.#paths.clientCa !== undefined,
      rejectUnauthorized: this.#paths.clientCa !== undefined && this.#demandsCertificates,
    };
  }

  /** Applies reloaded files to a server, for new connections. */
  renew(server: Server): void {
    this.#servers.push(server);
  }

  /** @throws OperatorError when the files cannot be used; then nothing has changed */
  reload(): void {
    this.#material = readTlsFiles(this.#paths);
    for (const server of this.#servers) server.setSecureContext(this.options);
    this.#warn();
  }

  /** Ends the daily warnings. */
  close(): void {
    clearInterval(this.#warning);
  }

  /** Names and addresses in the certificate. */
  get names(): readonly string[] {
    const names = this.#material.certificate.subjectAltName?.split(', ') ?? [];
    return names.map((name) => name.slice(name.indexOf(':') + 1));
  }

  /** Expiry of the certificate. */
  get endsAt(): Date {
    return new Date(this.#material.certificate.validTo);
  }

  #warn(): void {
    for (const { level, message, fields } of certificateFindings(this.#material.certificate)) {
      this.#logger[level](fields, message);
    }
  }
}

/** Returns warnings about the validity period of a certificate. */
function certificateFindings(certificate: X509Certificate): readonly Finding[] {
  const begins = Date.parse(certificate.validFrom);
  const ends = Date.parse(certificate.validTo);
  const now = Date.now();
  const dates = { validFrom: new Date(begins).toISOString(), validTo: new Date(ends).toISOString() };
  const refused = (message: string): readonly Finding[] => [{ level: 'error', message, fields: dates }];
  if (now >= ends)
    return refused('The certificate (TLS_CERT_FILE) has expired, so callers reject it. Renew it.');
  if (now < begins) return refused('The certificate (TLS_CERT_FILE) is not valid yet, so callers reject it.');
  if (ends - now >= Math.min(WARN_WITHIN_MS, (ends - begins) / 3)) return [];
  return [
    {
      level: 'warn',
      message: 'The certificate (TLS_CERT_FILE) expires soon. Renew it, then reload the service.',
      fields: { ...dates, days: Math.floor((ends - now) / DAY_MS) },
    },
  ];
}

/**
 * Opens the TLS files of the settings; undefined without TLS. Findings from before the start are not logged
 * again.
 *
 * @throws OperatorError if the settings do not match, or the files cannot be used
 */
export function openTls(config: Config, logger: Logger): ServerTls | undefined {
  const paths = readPaths(config);
  return paths && new ServerTls(paths, config.ACCESS_FILE === undefined, logger);
}

/** Checks the TLS settings and the certificate. */
export function tlsFindings(config: Config): readonly Finding[] {
  return attempted(() => {
    const paths = readPaths(config);
    return paths === undefined ? [] : certificateFindings(readTlsFiles(paths).certificate);
  });
}

/** @throws SettingError if the settings do not match */
function readPaths(config: Config): TlsPaths | undefined {
  const { TLS_CERT_FILE: certificate, TLS_KEY_FILE: key, TLS_CLIENT_CA_FILE: clientCa } = config;
  if (certificate !== undefined && key !== undefined) return { certificate, key, clientCa };
  if (certificate !== undefined)
    throw new SettingError('TLS_CERT_FILE is set, so TLS_KEY_FILE is required: its private key.');
  if (key !== undefined)
    throw new SettingError('TLS_KEY_FILE is set, so TLS_CERT_FILE is required: its certificate.');
  const left = clientCa !== undefined ? 'TLS_CLIENT_CA_FILE' : config.HTTP_PORT !== undefined && 'HTTP_PORT';
  if (left !== false) {
    throw new SettingError(`${left} has no effect without TLS. Set TLS_CERT_FILE and TLS_KEY_FILE.`);
  }
  return undefined;
}

/** Returns OpenSSL's word for the problem of the caller's certificate (`CERT_HAS_EXPIRED`), or undefined. */
export function authorizationProblem(socket: { readonly authorizationError?: unknown }): string | undefined {
  // The typings of TLSSocket declare the error of a client here, not the word that a server gets.
  const { authorizationError: problem } = socket;
  return typeof problem === 'string' ? problem : undefined;
}

/**
 * Returns one word for the reason of a failed handshake: OpenSSL's for the caller's certificate, or Node's.
 */
export function tlsFailure(error: unknown, socket: TLSSocket): string {
  return authorizationProblem(socket) ?? errorWord(error);
}
