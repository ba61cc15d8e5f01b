import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { exchange, type LogLine, token11 } from '../../../scripts/harness';
import { startReference } from '../../reference/service';
import type { AsmxServer } from '../../harness/asmx-server';
import { token11Is } from '../../harness/asmx-answers';
import { PROCESS_COUNTS, type ServiceHere, useServicesEitherWay } from '../../service/use-services-here';

/** The service as a whole, before the reference service as the old server. */
describe.each(PROCESS_COUNTS)('a reverse proxy of %s processes before an old server', (PROCESSES) => {
  const services = useServicesEitherWay();
  const file = join(services.folder, 'cut-over.json');
  const folder = join(services.folder, 'migration');
  const settingsFile = join(services.folder, 'settings.env');
  let old: AsmxServer;
  let service: ServiceHere;

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
        LOG_CLIENT: 'network',
        BASE_URL: 'https://public.example',
        PROCESSES,
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

  it('has BASE_URL in the documents of the old server', async () => {
    await reload({});
    const { text } = await exchange(service.port, { path: '/PushNotificationMobile.asmx?WSDL' });
    expect(text).toContain('location="https://public.example/PushNotificationMobile.asmx"');
    expect(text).not.toContain('127.0.0.1');
  });

  it('logs the client of what it forwards as LOG_CLIENT requires', async () => {
    await reload({});
    await token();
    expect(await service.line('forwarded')).toMatchObject({ client: '127.0.0.0/24' });
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
});
