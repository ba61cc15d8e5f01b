import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { Listener } from '../../src/service/listener';
import { OperatorError } from '../../src/support/errors';
import { authority, certify } from '../harness/certificates';
import { useServicesHere } from './use-services-here';
import { writeTlsFiles } from './use-tls';

const SERVER = certify({ name: 'localhost', issuer: authority('Test issuer') });

describe('62 A start that cannot succeed', () => {
  const services = useServicesHere();

  /** Returns why the service does not start; it must have listened nowhere. */
  async function failure(settings: Readonly<Record<string, string>> = {}): Promise<string> {
    const error: unknown = await services.start({ settings }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(OperatorError);
    const { message } = error as OperatorError; // As just seen.
    expect(message).not.toContain('\n');
    return message;
  }

  it('names a setting with an invalid value, and the expected values', async () => {
    const text = await failure({ MAX_CONNECTIONS: 'many' });
    expect(text).toContain(
      'MAX_CONNECTIONS: "many" is not valid. Expected: whole number from 16 to 1000000 (connections).',
    );
  });

  it('reads the settings from .env, and prefers the environment', async () => {
    writeFileSync(join(services.folder, '.env'), 'LOG_LEVEL=loud\n');
    expect(await failure()).toContain('LOG_LEVEL: "loud" is not valid.');
    const service = await services.start({ settings: { LOG_LEVEL: 'info' } });
    writeFileSync(join(services.folder, '.env'), '');
    await service.stop();
  });

  it('names the line of .env whose value would be truncated, but not the value', async () => {
    writeFileSync(join(services.folder, '.env'), '# the gateway\nADMIN_METRICS_TOKEN=hunter2#hunter3\n');
    const text = await failure();
    expect(text).toContain('ADMIN_METRICS_TOKEN contains a #');
    expect(text).toContain('[.env, ADMIN_METRICS_TOKEN: line 2]');
    expect(text).not.toContain('hunter');
    writeFileSync(join(services.folder, '.env'), '');
  });

  it('counts the other problems', async () => {
    const text = await failure({ SMS_TEXT: 'no code', SMS_CHANNEL: 'http' });
    expect(text).toMatch(/SMS_TEXT: .* \(and 1 more; npx school-notifications check lists them\)$/);
  });

  it.each([
    ['PORT', ''],
    ['ADMIN_PORT', ' of 127.0.0.1'],
    ['HTTP_PORT', ''],
  ])('names the port that is in use (%s)', async (setting, where) => {
    const server = createServer();
    try {
      const port = await new Listener(server).listen({ port: 0, host: undefined }, 'PORT');
      // With a certificate the service has all three.
      const tls = writeTlsFiles(services.folder, SERVER);
      const text = await failure({ ...tls, [setting]: String(port) });
      expect(text).toContain(
        `Cannot listen on port ${String(port)}${where} (${setting}): the port is in use.`,
      );
      // No command asks a service that does not run for a reload.
      expect(existsSync(join(services.folder, 'data', 'reload.json'))).toBe(false);
    } finally {
      server.close();
    }
  });

  it('reports a service description that is not complete', async () => {
    const { readFile } = files;
    const description = join(PACKAGE_ROOT, 'wsdl', 'Scheduals.wsdl');
    const cut = (...[path, ...options]: Parameters<typeof readFile>) =>
      path === description ? Promise.resolve('<wsdl:definitions') : readFile(path, ...options);
    jest.spyOn(files, 'readFile').mockImplementation(cut);
    const text = await failure();
    jest.restoreAllMocks();
    expect(text).toContain('The service description is not well-formed XML: ');
  });

  it('names the data folder that cannot be written', async () => {
    const file = join(services.folder, 'file');
    writeFileSync(file, '');
    expect(await failure({ DATA_DIR: join(file, 'data') })).toContain('(DATA_DIR) is not writable');
  });

  it('names a file that is not a database, and does not change it', async () => {
    const file = join(services.folder, 'letter.txt');
    writeFileSync(file, 'Dear parents, this is no database. '.repeat(100));
    const text = await failure({ DATABASE_URL: `sqlite:${file}` });
    expect(text).toContain('letter.txt');
    expect(readFileSync(file, 'utf8')).toContain('Dear parents');
  });

  it('does not show the password if the database server does not answer', async () => {
    const text = await failure({ DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/db' });
    expect(text).not.toContain('hunter2');
  });
});
