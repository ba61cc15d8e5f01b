import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { get } from '../../scripts/harness';
import { useServicesHere } from './use-services-here';

const CODE = get('AuthCodeSending', 'AuthCode', 'code=84021&phone=%2B905551112233');
/** Appears in a warning about one of these. */
const WARNING = 'contains personal data and is accessible to users other than its owner';

describe('the files of the service', () => {
  const services = useServicesHere();
  const settings = { HOST: '127.0.0.1' };
  const data = join(services.folder, 'data');
  let umask = 0;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
  });

  it('are accessible only to their owner, whatever the umask', async () => {
    const service = await services.start({ settings });
    await service.ask(CODE);
    await service.line('message', { channel: 'sms', state: 'written' });
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
    expect(names).toEqual(
      expect.arrayContaining(['service.db', 'service.db-wal', 'service.db-shm', 'outbox/sms.jsonl']),
    );
    const open = ['.', ...names].filter((name) => (statSync(join(data, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
    await service.stop();
    expect(service.output).not.toContain(WARNING);
  });

  it('cause one warning if others can read them, along with other findings, and the service goes on', async () => {
    const loose = [
      { path: data, mode: '755', remedy: '700' },
      { path: join(data, 'service.db'), mode: '644', remedy: '600' },
      { path: join(data, 'outbox', 'sms.jsonl'), mode: '640', remedy: '600' },
    ];
    for (const { path, mode } of loose) chmodSync(path, Number.parseInt(mode, 8));
    writeFileSync(join(services.folder, '.env'), 'SMS_CHANEL=http\nSMS_CHANNEL=file\n');
    const service = await services.start({ settings });
    await service.stop();
    const warnings = await service.lines(
      (lines) => lines.filter(({ level, node }) => level === 'warn' && node === undefined), // Not those of Node's age.
      'without a log',
    );
    expect(warnings).toMatchObject([
      {
        msg: '.env, line 1: unknown setting SMS_CHANEL; ignored. Did you mean SMS_CHANNEL? [.env, SMS_CHANNEL: line 2]',
      },
      {
        msg: 'SMS are not sent (SMS_CHANNEL=file); they are only written to a file. [.env, SMS_CHANNEL: line 2]',
      },
      { msg: 'Push messages are not sent (PUSH_CHANNEL=file); they are only written to a file.' },
      ...loose.map(({ path, mode, remedy }) => ({
        ...{ path, mode },
        msg: `${path} ${WARNING} (mode ${mode}). Run: chmod ${remedy} ${path}`,
      })),
    ]);
  });
});
