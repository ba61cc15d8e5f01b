import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

import { type OperatorFile, readOperatorFile } from '../../config';
import { errorMessage, OperatorError, systemErrorCode } from '../../support/errors';

/** Where the operator keeps what TLS needs. */
export interface TlsPaths {
  readonly certificate: string;
  readonly key: string;
  /** Who vouches for callers; undefined where nobody does. */
  readonly clientCa: string | undefined;
}

/** What the files held when they were read. */
export interface TlsMaterial {
  readonly context: SecureContextOptions;
  /** Of the service’s own certificate, not of those between it and its issuer. */
  readonly certificate: X509Certificate;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the files, and makes sure that TLS can be spoken with them.
 *
 * @throws OperatorError where one cannot be read or used, or they do not fit each other; without any of a key
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
      `TLS cannot be spoken with what TLS_CERT_FILE, TLS_KEY_FILE and TLS_CLIENT_CA_FILE name: ${errorMessage(cause)}.`,
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
    throw new OperatorError(`The file ${name} holds a certificate that cannot be read.`, { cause });
  }
  throw new OperatorError(`The file ${name} holds no certificate in PEM form.`);
}

function refuseOtherKey(
  keyFile: OperatorFile,
  certificateFile: OperatorFile,
  [own, ...others]: readonly [X509Certificate, ...X509Certificate[]],
): void {
  const key = keyIn(keyFile);
  if (own.checkPrivateKey(key)) return;
  const hint = others.some((certificate) => certificate.checkPrivateKey(key))
    ? '; it is that of a later one, and the service’s own must be the first'
    : '';
  throw new OperatorError(
    `The key in ${keyFile.name} is not that of the first certificate in ${certificateFile.name}${hint}.`,
  );
}

function keyIn({ name, path, text }: OperatorFile): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    // Nobody could type a passphrase where the service starts by itself.
    throw new OperatorError(
      systemErrorCode(cause) === 'ERR_MISSING_PASSPHRASE' || /\bENCRYPTED\b/.test(text)
        ? `The key in ${name} is encrypted; openssl pkey -in ${path} -out NEW-FILE writes it without its passphrase.`
        : `The file ${name} holds no private key in PEM form.`,
      { cause },
    );
  }
}
