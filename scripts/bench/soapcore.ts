import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../harness';

const SOURCE = join(PACKAGE_ROOT, 'scripts', 'bench', 'targets', 'soapcore');
const FOLDER = join(PACKAGE_ROOT, 'build', 'soapcore');

/**
 * Builds SoapCore's server, unless it is built already.
 *
 * @returns the environment of its target; undefined, with a line that says so, where its packages are out of reach
 */
export function buildSoapCore(): Readonly<Record<string, string>> | undefined {
  const program = join(FOLDER, 'out', 'server');
  const files = readdirSync(SOURCE);
  const builtAt = existsSync(program) ? statSync(program).mtimeMs : 0;
  if (files.some((file) => statSync(join(SOURCE, file)).mtimeMs >= builtAt)) {
    mkdirSync(FOLDER, { recursive: true });
    for (const file of files) copyFileSync(join(SOURCE, file), join(FOLDER, file));
    try {
      execFileSync('dotnet', ['publish', '--nologo', '-c', 'Release', '-o', 'out', 'server.csproj'], {
        cwd: FOLDER,
        stdio: ['ignore', 2, 2],
        timeout: BUILD_TIMEOUT_MS,
      });
    } catch (error) {
      console.error(`Without SoapCore, which cannot be built: ${String(error)}`);
      return undefined;
    }
  }
  return { ...dotnetSettings(), FOREIGN_PROGRAM: program };
}

const BUILD_TIMEOUT_MS = 300_000;

/** Returns what .NET finds its runtime by. */
function dotnetSettings(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && /^(?:HOME$|DOTNET_)/.test(name) ? [[name, value]] : [],
    ),
  );
}
