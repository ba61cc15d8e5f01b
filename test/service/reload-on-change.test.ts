import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import timers from 'node:timers/promises';

import { get, withHeaders } from '../../scripts/harness';
import { type ServiceHere, useServicesHere } from './use-services-here';
import { accessFileWith, reloads } from './reloads';

async function status(service: ServiceHere, key: string): Promise<number> {
  const token = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');
  return (await service.ask(withHeaders(token, ['X-Key', key]))).status;
}

describe('RELOAD_ON_CHANGE', () => {
  const services = useServicesHere();
  beforeAll(() => {
    // A service in this process looks at its files forty times a second instead of once.
    const { setTimeout: delay } = timers;
    const quick: typeof delay = (ms = 0, value, options) => delay(ms / 40, value, options);
    jest.spyOn(timers, 'setTimeout').mockImplementation(quick);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });
  const file = (name: string): string => join(services.folder, name);
  /** Replaces a file as editors do: by one written beside it. */
  const replace = (path: string, content: string): void => {
    writeFileSync(`${path}.draft`, content);
    renameSync(`${path}.draft`, path);
  };
  /** Replaces all files of a folder at once, as Kubernetes does with a mounted ConfigMap. */
  const mount = (version: string, content: string): void => {
    mkdirSync(file(`mounted/${version}`), { recursive: true });
    writeFileSync(file(`mounted/${version}/access.json`), content);
    symlinkSync(version, file('mounted/..new'));
    renameSync(file('mounted/..new'), file('mounted/..data'));
  };

  it('reloads files that are replaced, once for each burst of changes, and keeps the state when one is wrong', async () => {
    mount('one', accessFileWith('first'));
    symlinkSync('..data/access.json', file('mounted/access.json'));
    writeFileSync(file('settings.env'), '');
    const service = await services.start({
      settings: {
        RELOAD_ON_CHANGE: 'true',
        SETTINGS_FILE: file('settings.env'),
        ACCESS_FILE: file('mounted/access.json'),
      },
    });

    mount('two', accessFileWith('second'));
    expect(await reloads(service, 1)).toMatchObject([{ changed: ['ACCESS_FILE'], wrong: [] }]);
    expect(await status(service, 'second')).toBe(200);

    mount('three', '{');
    expect((await reloads(service, 2)).slice(1)).toMatchObject([{ changed: [], wrong: ['ACCESS_FILE'] }]);
    expect(await status(service, 'second')).toBe(200);

    writeFileSync(file('token'), 'the-first-token-of-metrics\n');
    for (let count = 0; count < 20; count += 1)
      replace(file('settings.env'), `ADMIN_METRICS_TOKEN_FILE=${file('token')}\n${'#'.repeat(count)}\n`);
    mount('four', accessFileWith('fourth'));
    expect((await reloads(service, 3)).slice(2)).toMatchObject([
      { changed: ['ADMIN_METRICS_TOKEN', 'ACCESS_FILE'], wrong: [] },
    ]);
    expect(await status(service, 'fourth')).toBe(200);

    // A file that is watched only since the last reload.
    replace(file('token'), 'another-token-of-metrics\n');
    expect((await reloads(service, 4)).slice(3)).toMatchObject([{ changed: ['ADMIN_METRICS_TOKEN'] }]);
    await service.stop();
  });
});
