import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CLOSED_PORT, exchange, get, request, token11 } from '../../../scripts/harness';
import { FEATURE_ACTION_LOG } from '../../../src/features/feature';
import { readFindings } from '../../../src/features/migration/reverse-proxy/shadow-report';
import { offeredOperations } from '../../../src/service/endpoints';
import { startReference } from '../../reference/service';
import { cellsOf } from '../../admin/console/use-console';
import { token11Is } from '../../harness/asmx-answers';
import type { AsmxServer } from '../../harness/asmx-server';
import { type ServiceHere, useServicesHere } from '../../service/use-services-here';

describe('the service before an old server', () => {
  const services = useServicesHere();
  const file = join(services.folder, 'cut-over.json');
  const folder = join(services.folder, 'migration');
  let old: AsmxServer;
  let service: ServiceHere;

  beforeAll(async () => {
    old = await startReference({ host: '127.0.0.1' });
    writeFileSync(file, '{}');
    service = await services.start({
      settings: { OLD_URL: `http://127.0.0.1:${String(old.port)}`, CUTOVER_FILE: file, DATA_DIR: folder },
    });
  });
  afterAll(async () => {
    await old.close();
  });

  it('forwards what has not been cut over', async () => {
    const token = async (): Promise<string> => (await exchange(service.port, token11('DEV-1'))).text;
    expect(await token()).toBe(token11Is('TOKEN-DEV-1').body);
    writeFileSync(file, JSON.stringify({ GetTokenDevice: 'new' }));
    expect(await service.reload()).toMatchObject({ changed: ['CUTOVER_FILE'] });
    expect(await token()).toBe(token11Is('sample-token-01').body);
    if (FEATURE_ACTION_LOG !== undefined) {
      const { text } = await service.askAdmin({ path: '/migration' });
      expect(cellsOf(text, 'History')[1]?.[1]).toBe('GetTokenDevice: shadow → new');
    }
    writeFileSync(file, JSON.stringify({ GetTokenDevice: 'neu' }));
    expect(await service.reload()).toMatchObject({ changed: [], wrong: ['CUTOVER_FILE'] });
    expect(await token()).toBe(token11Is('sample-token-01').body);
    writeFileSync(file, '{}');
    await service.reload();
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
