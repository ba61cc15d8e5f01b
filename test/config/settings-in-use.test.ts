import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { readSettings, SettingsInUse } from '../../src/config';
import { useFolderPerTest } from '../harness/use-folder';

describe('a change that could not be applied', () => {
  const folder = useFolderPerTest();

  it('is found again by the next reload, a value as well as a file, and the state before is shown', () => {
    const [users, settings] = [join(folder(), 'users.json'), join(folder(), 'settings.env')];
    const write = (value: string): void => {
      writeFileSync(users, value);
      writeFileSync(settings, `ADMIN_USERS_FILE=${users}\nADMIN_METRICS_TOKEN=${value.repeat(32)}\n`);
    };
    write('1');
    const read = () => readSettings({ SETTINGS_FILE: settings });
    const inUse = new SettingsInUse(read(), read);
    const before = [inUse.shown, inUse.texts];
    const changed = ['ADMIN_METRICS_TOKEN', 'ADMIN_USERS_FILE'];
    write('23');
    for (let times = 0; times < 2; times += 1) {
      expect([...inUse.readAgain().changed].sort()).toEqual(changed);
      inUse.goBack(changed);
      expect([inUse.shown, inUse.texts]).toEqual(before);
    }
    // One of them can be applied by now.
    inUse.readAgain();
    inUse.goBack(['ADMIN_USERS_FILE']);
    expect(inUse.readAgain().changed).toEqual(['ADMIN_USERS_FILE']);
    expect(inUse.readAgain().changed).toEqual([]);
  });
});

describe('a file with secrets that a settings file names', () => {
  const folder = useFolderPerTest();

  it.each([
    ['relative', 'secrets/token', 'secrets/token'],
    ['relative, from the folder above', '../token', '../token'],
    ['absolute', undefined, 'token'],
  ])('is watched and reloaded by its path: %s', (_what, written, place) => {
    const own = join(folder(), 'own');
    mkdirSync(join(own, 'secrets'), { recursive: true });
    const secret = join(own, place);
    writeFileSync(secret, 'one');
    const file = join(own, 'gateways.json');
    writeFileSync(
      file,
      JSON.stringify({ gateways: { own: { values: { key: { file: written ?? secret } } } } }),
    );
    // The working directory of the service is another folder than that of the file.
    const read = () => readSettings({ GATEWAYS_FILE: relative(process.cwd(), file) }, join(folder(), 'none'));
    const inUse = new SettingsInUse(read(), read);
    const absolute = inUse.paths().map((path) => join(process.cwd(), relative(process.cwd(), path)));
    expect(absolute).toEqual(expect.arrayContaining([file, secret]));
    expect(inUse.readAgain().changed).toEqual([]);
    writeFileSync(secret, 'two');
    expect(inUse.readAgain().changed).toEqual(['GATEWAYS_FILE']);
  });
});
