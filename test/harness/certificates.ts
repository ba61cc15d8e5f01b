import { createPublicKey, privateEncrypt } from 'node:crypto';

import { asn1, md, pkcs12, pki } from 'node-forge';

import { nextRsaKey } from '../../scripts/harness';

const DAY_MS = 86_400_000;

export interface CertificateOptions {
  /** The subject's common name. */
  readonly name: string;
  /** Signs it; without one, it signs itself. */
  readonly issuer?: Certified;
  /** Days from now at which it begins and ends. */
  readonly fromDays?: number;
  readonly toDays?: number;
  readonly isAuthority?: boolean;
  /** The private key (PEM) that it is for; a new one unless given. */
  readonly key?: string;
  /** Further host names that it is for. */
  readonly hosts?: readonly string[];
}

/** A certificate with its key, made for a test and good for nothing else. */
export interface Certified {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  readonly forge: pki.Certificate;
}

/** Precedes a SHA-256 digest in a signature (RFC 8017, section 9.2, note 1). */
const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');

let serial = 0;

/** Makes a certificate for `localhost` and 127.0.0.1, for servers and clients alike. */
export function certify(options: CertificateOptions): Certified {
  const { name, issuer, fromDays = -1, toDays = 365, isAuthority = false, hosts = [] } = options;
  const pair = options.key === undefined ? nextRsaKey() : pairOf(options.key);
  const { privateKey: key, publicKey } = pair;
  serial += 1;
  const forge = pki.createCertificate();
  forge.publicKey = pki.publicKeyFromPem(publicKey);
  forge.serialNumber = serial.toString(16).padStart(4, '0');
  forge.validity.notBefore = new Date(Date.now() + fromDays * DAY_MS);
  forge.validity.notAfter = new Date(Date.now() + toDays * DAY_MS);
  forge.setSubject([{ shortName: 'CN', value: name }]);
  forge.setIssuer(issuer?.forge.subject.attributes ?? forge.subject.attributes);
  forge.setExtensions([
    { name: 'basicConstraints', cA: isAuthority, critical: true },
    ...(isAuthority
      ? [{ name: 'keyUsage', keyCertSign: true, critical: true }]
      : [
          {
            name: 'subjectAltName',
            altNames: [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
              ...hosts.map((value) => ({ type: 2, value })),
            ],
          },
        ]),
  ]);
  forge.sign(signer(issuer?.key ?? key), md.sha256.create());
  return { certificate: pki.certificateToPem(forge), key, forge };
}

/** Returns a key for node-forge that signs by OpenSSL, in a tenth of node-forge's time. */
function signer(key: string): pki.rsa.PrivateKey {
  const sign = (hash: md.sha256.MessageDigest): string => {
    const digest = Buffer.from(hash.digest().getBytes(), 'latin1');
    return privateEncrypt(key, Buffer.concat([SHA256_INFO, digest])).toString('latin1');
  };
  return { sign } as unknown as pki.rsa.PrivateKey; // node-forge calls nothing else.
}

function pairOf(privateKey: string) {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return { privateKey, publicKey };
}

/** Somebody who issues certificates. */
export function authority(name: string): Certified {
  return certify({ name, isAuthority: true });
}

/** A certificate with its key and its issuer, in the form that .NET and Java take (PKCS #12). */
export function keyStore({ forge, key }: Certified, issuer: Certified, password: string): Buffer {
  // The oldest of the ciphers is what all of them read.
  const options = { algorithm: '3des' } as const;
  const store = pkcs12.toPkcs12Asn1(pki.privateKeyFromPem(key), [forge, issuer.forge], password, options);
  return Buffer.from(asn1.toDer(store).getBytes(), 'latin1');
}
