import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { BINDING_TITLES, type ServiceProcess } from '../../scripts/harness';
import { hashPassword } from '../../src/access';
import { writeTlsFiles } from '../service/use-tls';
import { authority, type Certified, certify, keyStore } from '../harness/certificates';
import { OPERATIONS } from '../harness/contract-operations';
import { type Client, type ClientBinding, placeOf } from './client';
import type { Report } from './report';
import { runCommand } from './run-command';
import { withService, type Workplace } from './school';
import { within } from './within';

/** Column of the table that these checks stand in. */
export const CREDENTIALS = 'credentials over TLS';

const CALL_TIMEOUT_MS = 30_000;
const LOG_TIMEOUT_MS = 30_000;
/** Protects the key stores; the programs know it. */
const PASSWORD = 'interop';

/** Variables that the programs read. */
type Environment = Readonly<Record<string, string>>;

interface Attempt {
  readonly what: string;
  /** As whom the service knows it; undefined where it refuses the call. */
  readonly caller: 'user' | 'owner' | undefined;
  readonly environment: Environment;
}

/** Calls a service over TLS that knows its callers by password or certificate, with good ones and bad ones. */
export async function tryCredentials(
  client: Client,
  made: string,
  { folder, schools }: Workplace,
  report: Report,
): Promise<void> {
  const { settings, attempts } = await prepare(mkdtempSync(join(folder, 'credentials-')));
  await withService(folder, schools, settings, async ({ address, process: service }) => {
    for (const binding of client.bindings) {
      for (const { what, caller, environment } of attempts) {
        const refused = await countOf(service, 'status', 401, 0);
        const outcome = await callOnce(binding, address, made, environment);
        // What a stack makes of a refusal is its own matter; that it was one, the service knows.
        await (caller === undefined
          ? countOf(service, 'status', 401, refused + 1)
          : countOf(service, 'caller', caller, 1));
        const verdict = (outcome === 'sample-token-01') === (caller !== undefined) ? 'passed' : 'failed';
        const reason = verdict === 'failed' ? outcome : undefined;
        const title = `${BINDING_TITLES[binding.name]}, ${what}`;
        const place = { ...placeOf(client, binding.name), column: CREDENTIALS };
        report.add({ ...place, what: title, verdict, reason });
      }
    }
  });
}

/** Waits until the service has logged so many requests with this field, and returns how many it has. */
function countOf(
  service: ServiceProcess,
  field: string,
  value: string | number,
  atLeast: number,
): Promise<number> {
  const what = `${String(atLeast)} requests whose ${field} is ${String(value)}`;
  const found = service.lines((lines) => {
    const count = lines.filter((line) => line['msg'] === 'request' && line[field] === value).length;
    return count >= atLeast ? count : undefined;
  }, `without ${what}`);
  return within(LOG_TIMEOUT_MS, what, found);
}

/** The token that the service answers with, or what the client's stack says instead. */
async function callOnce(
  binding: ClientBinding,
  address: string,
  made: string,
  environment: Environment,
): Promise<string> {
  const operation = OPERATIONS.find(({ name }) => name === 'GetTokenDevice');
  if (operation === undefined) throw new Error('There is no GetTokenDevice');
  const caller = await binding.open(address, made, environment);
  try {
    const outcome = await within(CALL_TIMEOUT_MS, 'answer', caller.call(operation, ['DEV-1']));
    return 'text' in outcome ? (outcome.text ?? '') : outcome.kind;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await caller.close();
  }
}

async function prepare(
  folder: string,
): Promise<{ readonly settings: Environment; readonly attempts: readonly Attempt[] }> {
  const issuer = authority('Issuer of the service');
  const server = certify({ name: 'localhost', issuer });
  const issuerOfCallers = authority('Issuer of callers');
  const stranger = authority('Issuer of strangers');

  const accessFile = join(folder, 'access.json');
  const callers = {
    user: { basic: { user: 'portal', secret: await hashPassword('correct horse') } },
    owner: { certificate: { subject: { CN: 'portal' } } },
  };
  writeFileSync(accessFile, JSON.stringify({ callers }));
  const settings = { ...writeTlsFiles(folder, server, issuerOfCallers), ACCESS_FILE: accessFile };
  const { TLS_CERT_FILE: certificateFile } = settings;

  const trust = join(folder, 'trust.p12');
  writeFileSync(join(folder, 'issuer.crt'), issuer.certificate);
  await runCommand(
    'keytool',
    [
      '-importcert',
      '-noprompt',
      '-alias',
      'a',
      '-file',
      'issuer.crt',
      '-keystore',
      trust,
      '-storepass',
      PASSWORD,
    ],
    { folder },
  );
  /** Java has options for all of it, .NET has not. */
  const speaking = (environment: Environment, store?: string): Environment => ({
    SERVER_CERTIFICATE: certificateFile,
    JAVA_TOOL_OPTIONS: [
      ...storeOptions('trustStore', trust),
      ...(store === undefined ? [] : storeOptions('keyStore', store)),
    ].join(' '),
    ...(store === undefined ? {} : { CLIENT_CERTIFICATE: store }),
    ...environment,
  });
  const storeOf = (name: string, by: Certified): string => {
    const path = join(folder, `${name}.p12`);
    writeFileSync(path, keyStore(certify({ name: 'portal', issuer: by }), by, PASSWORD));
    return path;
  };
  const password = (text: string): Environment => ({ CLIENT_USER: 'portal', CLIENT_PASSWORD: text });
  const attempts: readonly Attempt[] = [
    { what: 'Basic', caller: 'user', environment: speaking(password('correct horse')) },
    { what: 'Basic, wrong password', caller: undefined, environment: speaking(password('wrong horse')) },
    { what: 'certificate', caller: 'owner', environment: speaking({}, storeOf('owner', issuerOfCallers)) },
    {
      what: 'certificate of another issuer',
      caller: undefined,
      environment: speaking({}, storeOf('stranger', stranger)),
    },
    { what: 'neither', caller: undefined, environment: speaking({}) },
  ];
  return { settings, attempts };
}

function storeOptions(name: 'keyStore' | 'trustStore', path: string): readonly string[] {
  const property = `-Djavax.net.ssl.${name}`;
  return [`${property}=${path}`, `${property}Password=${PASSWORD}`];
}
