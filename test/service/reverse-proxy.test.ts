import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  exchange,
  CLOSED_PORT,
  get,
  type LogLine,
  request,
  type ServiceProcess,
  token11,
} from '../../scripts/harness';
import { readFindings } from '../../src/migration';
import { offeredOperations } from '../../src/service/endpoints';
import { startReference } from '../reference/service';
import type { AsmxServer } from '../harness/asmx-server';
import { token11Is } from '../harness/asmx-answers';
import { useServices } from './use-services';

/** The service as a whole, with two processes, before the reference service as the old server. */
describe('the service as a reverse proxy before an old server', () => {
  const services = useServices();
  const file = join(services.folder, 'cut-over.json');
  const folder = join(services.folder, 'migration');
  const settingsFile = join(services.folder, 'settings.env');
  let old: AsmxServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    old = await startReference({ host: '127.0.0.1' });
    writeFileSync(file, '{}');
    writeFileSync(settingsFile, '');
    service = await services.start({
      settings: {
        OLD_URL: `http://127.0.0.1:${String(old.port)}`,
        CUTOVER_FILE: file,
        SETTINGS_FILE: settingsFile,
        DATA_DIR: folder,
        PROCESSES: '2',
      },
    });
  });
  afterAll(async () => {
    await old.close();
  });

  const token = async (): Promise<string> => (await exchange(service.port, token11('DEV-1'))).text;
  const OLD = token11Is('TOKEN-DEV-1').body;
  const NEW = token11Is('sample-token-01').body;

  async function reload(content: object): Promise<LogLine> {
    writeFileSync(file, JSON.stringify(content));
    return service.reload();
  }

  it('forwards, switches over on SIGHUP and goes back, in all processes', async () => {
    expect(await token()).toBe(OLD);
    expect(await reload({ GetTokenDevice: 'new' })).toMatchObject({ changed: ['CUTOVER_FILE'] });
    expect(await Promise.all([token(), token(), token(), token()])).toEqual([NEW, NEW, NEW, NEW]);
    expect(await reload({ GetTokenDevice: 'neu' })).toMatchObject({ changed: [], wrong: ['CUTOVER_FILE'] });
    expect(await token()).toBe(NEW);
    expect(await reload({ GetTokenDevice: 'old' })).toMatchObject({ changed: ['CUTOVER_FILE'] });
    expect(await Promise.all([token(), token(), token(), token()])).toEqual([OLD, OLD, OLD, OLD]);
  });

  it('begins and ends a recording on a reload, in all processes', async () => {
    const recording = join(services.folder, 'recorded', 'calls.jsonl');
    const record = async (...lines: readonly string[]): Promise<void> => {
      writeFileSync(settingsFile, lines.join('\n'));
      expect(await service.reload()).toMatchObject({ changed: ['RECORD_FILE'], needRestart: [] });
    };
    const recorded = (path: string): number =>
      existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).length : 0;
    /** Waits until a file has a number of requests. Probes of health are not recorded. */
    const has = async (path: string, requests: number): Promise<void> => {
      while (recorded(path) < requests) await exchange(service.port, { path: '/readyz' });
    };
    await token();
    await record(`RECORD_FILE=${recording}`);
    await Promise.all([token(), token(), token(), token()]);
    await has(recording, 4);
    await record();
    await token();
    await record(`RECORD_FILE=${recording}.other`);
    await token();
    await has(`${recording}.other`, 1);
    await record();
    expect([recorded(recording), recorded(`${recording}.other`)]).toEqual([4, 1]);
  });

  it('answers for its own health', async () => {
    expect((await exchange(service.port, { path: '/readyz' })).text).toContain('ready');
  });

  it('sends nothing that the old server answers, and has stored its findings when stopped', async () => {
    await exchange(
      service.port,
      request('get', 'AuthCodeSending', 'AuthCode', { code: '1234', phone: '905321112233' }),
    );
    await exchange(
      service.port,
      get('NotificationNotes', 'GetStudentSchool', 'school_base_url=a&show_active=Y'),
    );
    await service.stop();
    expect(readFindings(join(folder, 'compared'))?.findings).toMatchObject({
      counts: expect.arrayContaining([
        expect.objectContaining({ operation: 'GetStudentSchool', binding: 'GET', pairs: 1 }),
        expect.objectContaining({ operation: 'GetTokenDevice', binding: 'SOAP 1.1', different: 1 }),
      ]) as unknown,
    });
    const outbox = join(folder, 'outbox', 'sms.jsonl');
    expect(existsSync(outbox) ? readFileSync(outbox, 'utf8') : '').toBe('');
    expect(service.output).not.toContain('905321112233');
  });

  it('shows that the old server is down before the first request, while it is needed', async () => {
    const file = join(services.folder, 'cut-over.json');
    const cutOver = (mode: string): void => {
      const modes = offeredOperations({ DISABLED_BINDINGS: [] }).map(({ name }) => [name, mode]);
      writeFileSync(file, JSON.stringify(Object.fromEntries(modes)));
    };
    cutOver('old');
    const service = await services.start({
      settings: {
        OLD_URL: `http://127.0.0.1:${String(CLOSED_PORT)}`,
        CUTOVER_FILE: file,
        DATA_DIR: join(services.folder, 'alone'),
      },
    });
    const overview = async (): Promise<string> => (await service.askAdmin({ path: '/' })).text;
    expect(await overview()).toContain('The old server is not responding.');
    expect((await service.askAdmin({ path: '/migration' })).text).toContain(
      'The old server is not responding.',
    );
    expect((await exchange(service.port, token11('DEV-1'))).status).toBe(502);
    cutOver('new');
    await service.reload();
    expect(await overview()).not.toContain('The old server');
    expect((await service.askAdmin({ path: '/migration' })).text).toContain(
      'This service answers everything.',
    );
  });
});
