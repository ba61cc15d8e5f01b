import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { get, withHeaders } from '../../scripts/harness';
import { type CommandEnd, runCommand } from '../harness/run-command';
import { PROCESS_COUNTS, type ServiceHere, useServicesEitherWay } from './use-services-here';
import { accessFileWith, reloads } from './reloads';

const TOKEN = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');
const METRICS_TOKEN = 'the-first-token-of-metrics';

/** Returns the statuses of enough calls to reach every process. */
async function statuses(service: ServiceHere, key: string): Promise<ReadonlySet<number>> {
  const request = withHeaders(TOKEN, ['X-Key', key]);
  const calls = Array.from({ length: 8 }, async () => (await service.ask(request)).status);
  return new Set(await Promise.all(calls));
}

describe.each(PROCESS_COUNTS)('the command reload, with %s processes', (PROCESSES) => {
  const services = useServicesEitherWay();
  const DATA_DIR = join(services.folder, 'data');
  const ACCESS_FILE = join(services.folder, 'access.json');
  const settingsFile = join(services.folder, 'settings.env');
  let service: ServiceHere;
  const reload = (): Promise<CommandEnd> =>
    runCommand('reload', [], { folder: services.folder, settings: { SETTINGS_FILE: settingsFile } });
  const write = (...lines: readonly string[]): void => {
    writeFileSync(settingsFile, [`DATA_DIR=${DATA_DIR}`, ...lines, ''].join('\n'));
  };

  beforeAll(async () => {
    writeFileSync(ACCESS_FILE, accessFileWith('old'));
    write(`ADMIN_METRICS_TOKEN=${METRICS_TOKEN}`);
    service = await services.start({ settings: { PROCESSES, ACCESS_FILE, SETTINGS_FILE: settingsFile } });
  });

  it('resolves when every process uses the new files, and the log shows the old and the new state', async () => {
    const before = statSync(ACCESS_FILE);
    writeFileSync(ACCESS_FILE, accessFileWith('old', 'new'));
    write('ADMIN_METRICS_TOKEN=the-other-token-of-metrics', 'LOG_LEVEL=debug');
    expect(await reload()).toEqual({
      code: 0,
      out: 'Reloaded: ADMIN_METRICS_TOKEN, ACCESS_FILE.\n',
      err: 'Warning: these settings take effect after a restart: LOG_LEVEL.\n',
    });
    expect(await statuses(service, 'new')).toEqual(new Set([200]));
    const after = statSync(ACCESS_FILE);
    const shown = ({ mtimeMs, size }: typeof after): string =>
      `${ACCESS_FILE} of ${new Date(mtimeMs).toISOString()}, ${String(size)} bytes`;
    expect(await reloads(service, 1)).toMatchObject([
      {
        before: { ACCESS_FILE: shown(before), ADMIN_METRICS_TOKEN: '***' },
        after: { ACCESS_FILE: shown(after), ADMIN_METRICS_TOKEN: '***' },
      },
    ]);
    expect(service.output).not.toContain('-token-of-metrics');
    expect(await reload()).toMatchObject({ out: 'Reloaded: nothing. LOG_LEVEL needs a restart.\n' });
  });

  it('prints what the log says about a wrong file, which changes nothing, and fails', async () => {
    writeFileSync(ACCESS_FILE, '{');
    const { code, out, err } = await reload();
    const { reason } = await service.line('reload failed, the previous');
    expect(reason).toBe(`${ACCESS_FILE} (ACCESS_FILE) is not valid JSON at line 1, column 2.`);
    expect({ code, out }).toEqual({ code: 1, out: 'Reloaded: nothing. LOG_LEVEL needs a restart.\n' });
    expect(err).toContain(`Error: ${String(reason)}\n`);
    expect(await statuses(service, 'new')).toEqual(new Set([200]));
    // The former file stays in use.
    const text = accessFileWith('new');
    writeFileSync(ACCESS_FILE, text);
    expect(await reload()).toMatchObject({ code: 0, out: 'Reloaded: ACCESS_FILE.\n' });
    const inUse = `${String(accessFileWith('old', 'new').length)} bytes`;
    expect((await reloads(service, 4)).at(-1)).toMatchObject({
      before: { ACCESS_FILE: expect.stringContaining(inUse) as string },
    });
    writeFileSync(ACCESS_FILE, '{');
  });

  it('prints what is wrong with the settings file', async () => {
    write('no assignment');
    const { code, err } = await reload();
    expect(code).toBe(1);
    expect(err).toContain(`Error: ${settingsFile}, line 2: expected NAME=value or a # comment.`);
  });

  it('is refused without the secret, which only the owner of the data can read', async () => {
    const path = join(DATA_DIR, 'reload.json');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0);
    const { token } = JSON.parse(readFileSync(path, 'utf8')) as { readonly token: string };
    const post = async (authorization: string): Promise<number> =>
      (
        await service.askAdmin({
          method: 'POST',
          path: '/reload',
          headers: [['Authorization', authorization]],
          body: '',
        })
      ).status;
    expect(await post(`Bearer ${token}`)).toBe(200);
    expect(await post('Bearer another')).toBe(403);
    expect(await post('')).toBe(403);
  });

  it('fails when no service runs', async () => {
    await service.stop();
    write();
    const { code, err } = await reload();
    expect(code).toBe(1);
    expect(err).toBe(
      `Error: No service is running with DATA_DIR=${DATA_DIR}, or it has ADMIN_PORT=off. In that case, set RELOAD_ON_CHANGE=true.\n`,
    );
  });
});
