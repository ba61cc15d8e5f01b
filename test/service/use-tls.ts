import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';

import type { Certified } from '../harness/certificates';

/** Writes what the service speaks TLS with, and returns the settings that name it. */
export function writeTlsFiles(
  folder: string,
  server: Pick<Certified, 'certificate' | 'key'>,
  clientCa?: Pick<Certified, 'certificate'>,
): Readonly<Record<string, string> & Record<'TLS_CERT_FILE', string>> {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return {
    TLS_CERT_FILE: write('service.crt', server.certificate),
    TLS_KEY_FILE: write('service.key', server.key),
    ...(clientCa === undefined ? {} : { TLS_CLIENT_CA_FILE: write('clients.crt', clientCa.certificate) }),
  };
}

/** How a caller speaks TLS that trusts an issuer, with a certificate of its own or without. */
export function trusting({ certificate: ca }: Certified, own?: Certified): ConnectionOptions {
  return own === undefined
    ? { ca, servername: 'localhost' }
    : { ca, servername: 'localhost', cert: own.certificate, key: own.key };
}
