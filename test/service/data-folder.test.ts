import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { prepareDataFolder } from '../../src/service/run-service';
import { useFolder } from '../harness/use-folder';

describe('the data folder', () => {
  const directory = useFolder();

  it('is created with its parent folders, and may already exist', () => {
    const path = join(directory, 'a', 'b');
    prepareDataFolder(path);
    expect(() => {
      prepareDataFolder(path);
    }).not.toThrow();
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('is given up where nobody can make a folder', () => {
    expect(() => {
      prepareDataFolder('/proc/no-such-folder/data');
    }).toThrow(/^The data folder .*data \(DATA_DIR\) is not writable\./);
  });

  it('is reported with its setting if it cannot be created', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => {
      prepareDataFolder(join(file, 'data'));
    }).toThrow(/^The data folder .*data \(DATA_DIR\) is not writable\. .*ENOTDIR/);
  });
});
