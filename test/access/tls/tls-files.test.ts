import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { OperatorError } from '../../../src/support/errors';
import { readTlsFiles } from '../../../src/access/tls';
import { authority, certify } from '../../harness/certificates';
import { useFolder } from '../../harness/use-folder';

const ISSUER = authority('Issuer');
const OWN = certify({ name: 'localhost', issuer: ISSUER });
const OTHER = certify({ name: 'localhost', issuer: ISSUER });

describe('TLS files', () => {
  const folder = useFolder();
  let count = 0;
  const file = (text: string | Buffer): string => {
    count += 1;
    const path = join(folder, `${String(count)}.pem`);
    writeFileSync(path, text);
    return path;
  };
  const read = (certificate: string, key: string, clientCa?: string) =>
    readTlsFiles({ certificate, key, clientCa });

  it('include the certificate with its chain, its key, and the issuers of callers', () => {
    const own = file(`# text before it\n${OWN.certificate}${ISSUER.certificate}`);
    const { certificate, context } = read(own, file(OWN.key), file(ISSUER.certificate));
    expect(certificate.subject).toBe('CN=localhost');
    expect(context.ca).toBe(ISSUER.certificate);
  });

  it('include keys in the older format', () => {
    const key = createPrivateKey(OWN.key).export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(read(file(OWN.certificate), file(key)).context.key).toBe(key);
  });

  const encrypted = createPrivateKey(OWN.key);
  it.each<[string, () => unknown, RegExp]>([
    [
      'a missing certificate',
      () => read(join(folder, 'none'), file(OWN.key)),
      /^Cannot read \S+none \(TLS_CERT_FILE\)\. Error: ENOENT/,
    ],
    [
      'a missing key',
      () => read(file(OWN.certificate), join(folder, 'none')),
      /^Cannot read \S+none \(TLS_KEY_FILE\)\. Error: ENOENT/,
    ],
    [
      'missing issuers',
      () => read(file(OWN.certificate), file(OWN.key), join(folder, 'none')),
      /^Cannot read \S+none \(TLS_CLIENT_CA_FILE\)\. Error: ENOENT/,
    ],
    ['a folder', () => read(folder, file(OWN.key)), /^Cannot read \S+ \(TLS_CERT_FILE\)\. Error: EISDIR/],
    [
      'a certificate that is not PEM',
      () => read(file(Buffer.from(OWN.certificate.replace(/-----.*-----/g, ''), 'base64')), file(OWN.key)),
      /^\S+ \(TLS_CERT_FILE\) contains no certificate in PEM format\.$/,
    ],
    [
      'a truncated certificate',
      () => read(file(OWN.certificate.replace(/(.{64}\r?\n){4}/, '')), file(OWN.key)),
      /^\S+ \(TLS_CERT_FILE\) contains an invalid certificate\.$/,
    ],
    [
      'certificate and key swapped',
      () => read(file(OWN.key), file(OWN.certificate)),
      /^\S+ \(TLS_CERT_FILE\) contains no certificate in PEM format\.$/,
    ],
    [
      'no key',
      () => read(file(OWN.certificate), file('')),
      /^\S+ \(TLS_KEY_FILE\) contains no private key in PEM format\.$/,
    ],
    [
      'the key of another certificate',
      () => read(file(OWN.certificate), file(OTHER.key)),
      /^The key in \S+ \(TLS_KEY_FILE\) does not belong to the first certificate in \S+ \(TLS_CERT_FILE\)\.$/,
    ],
    [
      'certificates in the wrong order',
      () => read(file(ISSUER.certificate + OWN.certificate), file(OWN.key)),
      /; it belongs to a later one. Put the service’s own certificate first\.$/,
    ],
    [
      'issuers without a certificate',
      () => read(file(OWN.certificate), file(OWN.key), file(OWN.key)),
      /^\S+ \(TLS_CLIENT_CA_FILE\) contains no certificate in PEM format\.$/,
    ],
    ...(['pkcs1', 'pkcs8'] as const).map((type): [string, () => unknown, RegExp] => [
      `a key with a passphrase (${type})`,
      () => {
        const options = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
        const key = encrypted.export({ ...options, type }).toString();
        return read(file(OWN.certificate), file(key));
      },
      /^The key in (\S+) \(TLS_KEY_FILE\) is encrypted\. To remove the passphrase: openssl pkey -in \1 -out NEW-FILE/,
    ]),
  ])('that are invalid are reported: %s', (_what, attempt, message) => {
    expect(attempt).toThrow(OperatorError);
    expect(attempt).toThrow(message);
  });

  it('that OpenSSL rejects are reported with the reason', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 512 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const attempt = (): unknown => read(file(certify({ name: 'localhost', key }).certificate), file(key));
    expect(attempt).toThrow(
      /^Cannot use TLS_CERT_FILE, TLS_KEY_FILE and TLS_CLIENT_CA_FILE: .*key too small\.$/,
    );
  });

  it('that are invalid reveal nothing of a key', () => {
    const broken = OWN.key.replace(/[A-Za-z]{3}/, '###');
    const attempt = (): unknown => read(file(OWN.certificate), file(broken));
    expect(attempt).toThrow(/contains no private key/);
    expect(attempt).not.toThrow(new RegExp(broken.slice(40, 60).replace(/\W/g, '.')));
  });
});
