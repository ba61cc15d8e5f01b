import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { readSettings, SettingsInUse } from '../../src/config';
import { useFolderPerTest } from '../harness/use-folder';

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
