// What the operator reads of TLS between the service and PostgreSQL.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type PostgresCluster, startPostgresCluster } from '../../../scripts/harness';
import { openStore } from '../../../src/store';
import { authority, certify } from '../../harness/certificates';
import { query } from '../../harness/postgres-databases';
import { describeOnPostgres } from '../../harness/test-databases';

const ISSUER = authority('Issuer of the database');
const SERVER = certify({ name: 'localhost', issuer: ISSUER });

describeOnPostgres('PostgreSQL over TLS', () => {
  let folder: string;
  let issuerFile: string;
  let cluster: PostgresCluster;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postgres-tls-'));
    issuerFile = join(folder, 'issuer.pem');
    writeFileSync(issuerFile, ISSUER.certificate);
    const started = await startPostgresCluster({ durable: false, tls: SERVER });
    if (started === undefined) throw new Error('There is a test server elsewhere, and none to start here.');
    cluster = started;
    await query(cluster.url, "create role tls_only login superuser password 'x'");
  });
  afterAll(() => {
    cluster.stop();
    rmSync(folder, { recursive: true });
  });

  /** Replaces parts of the URL. */
  const urlWith = (parameters: string, parts: { host?: string; user?: string } = {}): string => {
    const url = new URL(`${cluster.url}?${parameters}`);
    if (parts.host !== undefined) url.hostname = parts.host;
    if (parts.user !== undefined) [url.username, url.password] = [parts.user, 'x'];
    return url.href;
  };
  const present = async (certificate: string): Promise<void> => {
    cluster.certify(certificate);
    await query(cluster.url, 'select pg_reload_conf()');
    // The server has read it when it says so of itself: a backend that starts now has the new one.
    await query(cluster.url, 'select 1');
  };
  /** Returns what the store says that cannot be opened, without where it is; empty where it can. */
  const refusal = async (url: string): Promise<string> => {
    try {
      await (await openStore({ url })).close();
      return '';
    } catch (error) {
      return String(error).replace(/ Database: .*$/, '');
    }
  };

  it('can be opened with and without verifying the certificate', async () => {
    for (const mode of ['require', 'verify-ca', 'verify-full', 'prefer']) {
      expect(await refusal(urlWith(`sslmode=${mode}&sslrootcert=${issuerFile}`))).toBe('');
    }
    expect(await refusal(urlWith('sslmode=no-verify', { user: 'tls_only' }))).toBe('');
    expect(await refusal(urlWith('sslmode=disable'))).toBe('');
  });

  it('reports what to set if the issuer of the certificate is unknown', async () => {
    for (const mode of ['require', 'verify-full']) {
      expect(await refusal(urlWith(`sslmode=${mode}`))).toMatch(
        /^StoreError: The certificate of PostgreSQL is not trusted\. Add sslrootcert=FILE .*sslmode=no-verify to encrypt without verification\. \((?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\)$/,
      );
    }
  });

  it('reports a certificate file that contains no certificate', async () => {
    const empty = join(folder, 'empty.pem');
    writeFileSync(empty, 'no certificate');
    expect(await refusal(urlWith(`sslmode=require&sslrootcert=${empty}`))).toMatch(
      /not trusted\. Add sslrootcert=FILE/,
    );
  });

  it('reports a client certificate with the wrong key', async () => {
    const [certificate, key] = [join(folder, 'client.crt'), join(folder, 'client.key')];
    writeFileSync(certificate, SERVER.certificate);
    writeFileSync(key, ISSUER.key);
    expect(await refusal(urlWith(`sslmode=no-verify&sslcert=${certificate}&sslkey=${key}`))).toMatch(
      /^StoreError: TLS with PostgreSQL failed\. Check ssl_min_protocol_version and the client certificate \(sslcert, sslkey\)\. \(ERR_OSSL_/,
    );
  });

  it('reports a certificate for another host', async () => {
    const url = urlWith(`sslmode=require&sslrootcert=${issuerFile}`, { host: '127.0.0.2' });
    expect(await refusal(url)).toBe(
      'StoreError: The certificate of PostgreSQL is for another host. Use the host in the certificate in the URL. (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  });

  it('checks the certificate of each of several hosts against that host', async () => {
    const { port } = cluster;
    const url = urlWith(`sslmode=require&sslrootcert=${issuerFile}`);
    const withHosts = (hosts: string): string => url.replace(`127.0.0.1:${String(port)}`, hosts);
    expect(await refusal(withHosts(`127.0.0.2:${String(port)},127.0.0.1:${String(port)}`))).toBe('');
    expect(await refusal(withHosts(`127.0.0.2,127.0.0.2:${String(port)}`))).toMatch(
      /127\.0\.0\.2:5432: PostgreSQL does not respond \(ECONNREFUSED\); 127\.0\.0\.2:\d+: The certificate of PostgreSQL is for another host\. .*\(ERR_TLS_CERT_ALTNAME_INVALID\)\.$/,
    );
  });

  it('reports that a user is accepted only over TLS', async () => {
    expect(await refusal(urlWith('', { user: 'tls_only' }))).toBe(
      'StoreError: PostgreSQL does not accept this user from this machine. Check the user and pg_hba.conf; for hostssl entries, add sslmode=require to the URL. (28000)',
    );
  });

  it.each([
    [
      'sslmode=requre',
      'Unknown sslmode "requre" in the database URL. Use disable, no-verify, require or verify-full.',
    ],
    ['sslmode=', 'Unknown sslmode "" in the database URL. Use disable, no-verify, require or verify-full.'],
    [
      'sslmode=REQUIRE',
      'Unknown sslmode "REQUIRE" in the database URL. Use disable, no-verify, require or verify-full.',
    ],
    [
      'sslmod=require',
      'Unknown parameter "sslmod" in the database URL. TLS parameters: ssl, sslmode, sslrootcert, sslcert, sslkey.',
    ],
    [
      'SSLMODE=require',
      'Unknown parameter "SSLMODE" in the database URL. TLS parameters: ssl, sslmode, sslrootcert, sslcert, sslkey.',
    ],
    [
      'sslrootcrt=/x',
      'Unknown parameter "sslrootcrt" in the database URL. TLS parameters: ssl, sslmode, sslrootcert, sslcert, sslkey.',
    ],
    [
      'sslmode=require&sslrootcert=/nowhere/ca.pem',
      'Cannot read a file of DATABASE_URL (sslrootcert, sslcert, sslkey): /nowhere/ca.pem. (ENOENT)',
    ],
  ])('refuses %s before connecting', async (parameters, message) => {
    expect(await refusal(urlWith(parameters))).toBe(`StoreError: ${message}`);
  });

  it('reports a certificate that is self-signed, expired or not valid yet', async () => {
    const strict = urlWith(`sslmode=require&sslrootcert=${issuerFile}`);
    const signed = (fromDays: number, toDays: number) =>
      certify({ name: 'localhost', issuer: ISSUER, fromDays, toDays, key: SERVER.key }).certificate;
    try {
      await present(signed(-20, -10));
      expect(await refusal(strict)).toBe(
        'StoreError: The certificate of PostgreSQL has expired. Renew it. (CERT_HAS_EXPIRED)',
      );
      await present(signed(10, 20));
      expect(await refusal(strict)).toBe(
        'StoreError: The certificate of PostgreSQL is not valid yet. Check the clocks of both machines. (CERT_NOT_YET_VALID)',
      );
      await present(certify({ name: 'localhost', key: SERVER.key }).certificate);
      expect(await refusal(strict)).toMatch(/not trusted\. .*\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/);
      expect(await refusal(urlWith('sslmode=no-verify'))).toBe('');
    } finally {
      await present(SERVER.certificate);
    }
  });
});

describeOnPostgres('PostgreSQL without TLS', () => {
  it('is reported for a URL that requires TLS', async () => {
    const server = process.env['TEST_DATABASE_URL'] ?? '';
    await expect(openStore({ url: `${server}?sslmode=require` })).rejects.toThrow(
      /^PostgreSQL does not use TLS\. Set ssl=on there, or remove sslmode from the URL\./,
    );
  });
});
