import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { findProgramName } from '../../src/support/program-name';
import { useFolderPerTest } from '../harness/use-folder';

const NAME = 'school-notifications';

describe('the program’s own name in its messages', () => {
  const folder = useFolderPerTest();
  /** As npm installs the package. */
  function installed() {
    const main = join(folder(), 'node_modules', NAME, 'dist', 'main.js');
    const bin = join(folder(), 'node_modules', '.bin');
    for (const each of [join(main, '..'), bin, join(folder(), 'usr-local-bin')])
      mkdirSync(each, { recursive: true });
    writeFileSync(main, '', { mode: 0o755 });
    symlinkSync(main, join(bin, NAME));
    return { main, bin, onPath: join(folder(), 'usr-local-bin') };
  }
  const nameOf = (called: string, path: string) => findProgramName(['node', called], path, false);

  it('is that of npx in a checkout', () => {
    expect(findProgramName(['node', 'dist/main.js'], '')).toBe(`npx ${NAME}`);
  });

  it('is its plain name if that is on the PATH', () => {
    const { bin, onPath } = installed();
    symlinkSync(join(bin, NAME), join(onPath, NAME));
    expect(nameOf(join(bin, NAME), [onPath, '/usr/bin'].join(delimiter))).toBe(NAME);
  });

  it('is its whole path if it was started by that, or by npx, whose folder is in no other PATH', () => {
    const { bin, onPath } = installed();
    expect(nameOf(join(bin, NAME), onPath)).toBe(join(bin, NAME));
    expect(nameOf(join(bin, NAME), [bin, onPath].join(delimiter))).toBe(join(bin, NAME));
  });

  it('names Node.js before the path of a file that is no program, and quotes spaces', () => {
    const { main, onPath } = installed();
    expect(nameOf(main, onPath)).toBe(`node ${main}`);
    expect(nameOf('/a b/main.js', onPath)).toBe('node "/a b/main.js"');
  });
});
