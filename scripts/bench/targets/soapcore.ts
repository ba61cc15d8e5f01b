import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { packageRoot } from '../../harness';
import { runForeign, writeLists } from './foreign';

/** Builds SoapCore's server, unless it is built already, and runs it. */
const SOURCE = join(packageRoot(), 'scripts', 'bench', 'targets', 'soapcore');
const FOLDER = join(packageRoot(), 'build', 'soapcore');

const program = join(FOLDER, 'out', 'server');
const files = readdirSync(SOURCE);
const builtAt = existsSync(program) ? statSync(program).mtimeMs : 0;
if (files.some((file) => statSync(join(SOURCE, file)).mtimeMs >= builtAt)) {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of files) copyFileSync(join(SOURCE, file), join(FOLDER, file));
  execFileSync('dotnet', ['publish', '--nologo', '-c', 'Release', '-o', 'out', 'server.csproj'], {
    cwd: FOLDER,
    stdio: ['ignore', 2, 2],
  });
}
runForeign(program, [writeLists(FOLDER)]);
