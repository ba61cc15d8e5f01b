// No port shows what the program is made of, whatever it is asked for and by whom.

import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';

import { exchange, PACKAGE_ROOT, type RawRequest, type RawResponse } from '../../scripts/harness';
import { passwordOf, writeUsers } from '../admin/login/users';
import { trusting, writeTlsFiles } from '../service/use-tls';
import { type ServiceHere, useServicesHere } from '../service/use-services-here';
import { authority, certify } from '../harness/certificates';

const ISSUER = authority('Test issuer');
const SERVER = certify({ name: 'localhost', issuer: ISSUER });
const TLS = trusting(ISSUER);

/** Lists what is at none of the ports, or cannot be read. */
const PATHS = [
  '/nowhere',
  '/nowhere.asmx',
  '/AuthCodeSending.asmx/Nothing/more',
  '/assets',
  '/assets/',
  '/assets/x',
  '/assets/x/y.js',
  '/assets/..%2fx',
  '/assets/%00',
  '/assets/%E0%A4%A',
  '/assets/../messages/x',
  '/ASSETS/x',
  '/%',
  '/%E0%A4%A',
  '/%00',
  '//nowhere',
  '/\\nowhere',
  '/.env',
  '/..%2f..%2fpackage.json',
  '/login/x',
  '/logout',
  '/metrics/x',
  '/live/x',
  '/messages/x',
  '/messages/%E0%A4%A',
  '/messages/change',
  '/messages/confirm',
  '/messages.csv/x',
  '/messages.csv?state=x',
  '/messages?before=x',
  '/requests?span=x&after[a]=b',
  '/schools/import',
  '/schools/import/errors.csv',
  '/schools/school',
  '/schools/school?url=%00',
  '/usage?month=x',
  '/usage.csv?by[]=x',
  '/callers/x',
  '/settings/x',
  '/healthz/x',
  '/__proto__',
  '/constructor',
  `/${'x'.repeat(300)}`,
] as const;
/** Methods that no page answers, and paths of each kind for them. */
const OTHER_METHODS = ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'] as const;
const FEW_PATHS = [
  '/nowhere.asmx',
  '/assets/x',
  '/messages/change',
  '/messages?before=x',
  '/healthz/x',
  '/%00',
] as const;

/** Lines of a stack, names of errors, and paths of the machine. */
const INSIDES = /\bat .+:\d+:\d+|\bnode:internal|node_modules|Error:|\/dist\/|\/src\//;

function expectNoInsides(response: RawResponse, what: string): void {
  const text = response.headers.map(([name, value]) => `${name}: ${value}`).join('\n') + response.text;
  expect([what, INSIDES.exec(text)?.[0], text.includes(PACKAGE_ROOT)]).toEqual([what, undefined, false]);
  // Whoever asks for what is not there is at fault, and not the service; ASMX's own endpoints say 500 all the same.
  if (what.includes('.asmx/')) return;
  expect([what, response.status < 500 || response.status === 501]).toEqual([what, true]);
}

describe('a request to', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  let cookie = '';
  beforeAll(async () => {
    const users = join(services.folder, 'users.json');
    writeUsers(users);
    service = await services.start({
      settings: {
        ...writeTlsFiles(services.folder, SERVER),
        ...{ HTTP_PORT: '0', ADMIN_USERS_FILE: users },
      },
      tls: TLS,
    });
    const body = new URLSearchParams({ name: 'anna', password: passwordOf('anna') }).toString();
    const { headers } = await service.askAdmin({
      path: '/login',
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body,
    });
    cookie = headers.find(([name]) => name.toLowerCase() === 'set-cookie')?.[1].split(';')[0] ?? '';
    expect(cookie).toMatch(/^console_session=/);
  });

  interface Place {
    readonly port: () => number;
    readonly tls?: ConnectionOptions;
    readonly headers?: () => NonNullable<RawRequest['headers']>;
  }
  const PLACES: Readonly<Record<string, Place>> = {
    PORT: { port: () => service.port, tls: TLS },
    HTTP_PORT: { port: () => service.plainPort },
    'ADMIN_PORT, not logged in': { port: () => service.adminPort },
    'ADMIN_PORT, logged in': { port: () => service.adminPort, headers: () => [['Cookie', cookie]] },
  };
  const cases = Object.keys(PLACES).flatMap((place) => [
    ...['GET', 'POST'].map((method) => [place, method, PATHS] as const),
    ...OTHER_METHODS.map((method) => [place, method, FEW_PATHS] as const),
  ]);

  it.each(cases)('%s with %s gets an answer without a stack or a path', async (name, method, paths) => {
    const { port, tls, headers } = PLACES[name] ?? PLACES['PORT'] ?? {};
    for (const path of paths) {
      const request = { method, path, headers: headers?.() ?? [] };
      expectNoInsides(await exchange(port?.() ?? 0, request, tls), `${method} ${path}`);
    }
  });

  it.each(Object.keys(PLACES))('%s in an invalid form gets an answer without them, too', async (name) => {
    const { port, tls } = PLACES[name] ?? {};
    for (const path of ['*', 'nowhere', 'http://[/', '/ü']) {
      expectNoInsides(await exchange(port?.() ?? 0, { path }, tls), path);
    }
  });
});
