import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { get } from '../../scripts/harness';
import { useServices } from './use-services';

const CODE = get('AuthCodeSending', 'AuthCode', 'code=84021&phone=%2B905551112233');
/** Of a warning about one of these. */
const WARNING = 'holds personal data, and others than its owner can get at it';

describe.each(['1', '2'])('what the service writes with PROCESSES=%s', (processes) => {
  const services = useServices();
  let umask = 0;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
  });

  it('is for its owner alone whatever the umask, and what is not is warned of once', async () => {
    const data = join(services.folder, 'data');
    const settings = { PROCESSES: processes };
    const service = await services.start({ settings });
    await service.ask(CODE);
    await service.line('message', { channel: 'sms', state: 'sent' });
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
    expect(names).toEqual(
      expect.arrayContaining(['service.db', 'service.db-wal', 'service.db-shm', 'outbox/sms.jsonl']),
    );
    const open = ['.', ...names].filter((name) => (statSync(join(data, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
    await service.stop();
    expect(service.output).not.toContain(WARNING);

    const loose = [
      { path: data, mode: '755', remedy: '700' },
      { path: join(data, 'service.db'), mode: '644', remedy: '600' },
      { path: join(data, 'outbox', 'sms.jsonl'), mode: '640', remedy: '600' },
    ];
    for (const { path, mode } of loose) chmodSync(path, Number.parseInt(mode, 8));
    const next = await services.start({ settings });
    await next.stop();
    const warnings = await next.lines(
      (lines) => lines.filter(({ msg }) => String(msg).includes(WARNING)),
      'without a log',
    );
    expect(warnings).toMatchObject(
      loose.map(({ path, mode, remedy }) => ({
        ...{ level: 'warn', path, mode },
        msg: `${path} ${WARNING} (mode ${mode}): chmod ${remedy} ${path}`,
      })),
    );
  });
});
