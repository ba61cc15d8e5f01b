import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { Listener } from '../../src/service/listener';
import { packageRoot, type ServiceOptions } from '../../scripts/harness';
import { authority, certify } from '../harness/certificates';
import { useServices } from './use-services';
import { writeTlsFiles } from './use-tls';

const SERVER = certify({ name: 'localhost', issuer: authority('Test issuer') });

describe('62 A start that cannot succeed', () => {
  const services = useServices();

  /** Waits for the end; it must come with one line, with an exit code that is not 0, and without listening. */
  async function failure(options: ServiceOptions): Promise<string> {
    const service = services.spawn(options);
    const { code, signal } = await service.ended();
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    expect(service.output).not.toContain('listening');
    expect(service.errors).toMatch(/^Error: the service did not start. [^\n]+\n$/);
    return service.errors;
  }

  /** A copy of the package whose service descriptions may be changed. */
  function packageCopy(): string {
    const root = join(services.folder, 'package');
    const from = packageRoot();
    mkdirSync(root);
    for (const part of ['dist', 'wsdl', 'scripts', 'package.json']) {
      cpSync(join(from, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(from, 'node_modules'), join(root, 'node_modules'));
    return root;
  }

  it('names a setting with an invalid value, and the expected values', async () => {
    const text = await failure({ settings: { MAX_XML_DEPTH: 'deep' } });
    expect(text).toContain(
      'MAX_XML_DEPTH: "deep" is not valid. Expected: whole number from 4 to 10000 (levels).',
    );
  });

  it('reads the settings from .env, and prefers the environment', async () => {
    writeFileSync(join(services.folder, '.env'), 'LOG_LEVEL=loud\n');
    expect(await failure({})).toContain('LOG_LEVEL: "loud" is not valid.');
    const service = services.spawn({ settings: { LOG_LEVEL: 'info' } });
    await service.listening();
    writeFileSync(join(services.folder, '.env'), '');
    await service.stop();
  });

  it('names the line of .env whose value would be truncated, but not the value', async () => {
    writeFileSync(join(services.folder, '.env'), '# the gateway\nADMIN_METRICS_TOKEN=hunter2#hunter3\n');
    const text = await failure({});
    expect(text).toContain('ADMIN_METRICS_TOKEN contains a #');
    expect(text).toContain('[.env, ADMIN_METRICS_TOKEN: line 2]');
    expect(text).not.toContain('hunter');
    writeFileSync(join(services.folder, '.env'), '');
  });

  it('counts the other problems', async () => {
    const text = await failure({ settings: { LEASE_SECONDS: '10', SMS_CHANNEL: 'http' } });
    expect(text).toMatch(/LEASE_SECONDS\. .* \(and 1 more; npx school-notifications check lists them\)\n$/);
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
      const text = await failure({ settings: { ...tls, [setting]: String(port) } });
      expect(text).toContain(
        `Cannot listen on port ${String(port)}${where} (${setting}): the port is in use.`,
      );
    } finally {
      server.close();
    }
  });

  it('names the data folder that cannot be written', async () => {
    const file = join(services.folder, 'file');
    writeFileSync(file, '');
    expect(await failure({ settings: { DATA_DIR: join(file, 'data') } })).toContain(
      '(DATA_DIR) is not writable',
    );
  });

  it('names a file that is not a database, and does not change it', async () => {
    const file = join(services.folder, 'letter.txt');
    writeFileSync(file, 'Dear parents, this is no database. '.repeat(100));
    const text = await failure({ settings: { DATABASE_URL: `sqlite:${file}` } });
    expect(text).toContain('letter.txt');
    expect(readFileSync(file, 'utf8')).toContain('Dear parents');
  });

  it('does not show the password if the database server does not answer', async () => {
    const text = await failure({ settings: { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/db' } });
    expect(text).not.toContain('hunter2');
  });

  it('names a service description that is not XML', async () => {
    const root = packageCopy();
    writeFileSync(join(root, 'wsdl', 'Scheduals.wsdl'), '<wsdl:definitions');
    expect(await failure({ root })).toMatch(/description/);
  });
});
