import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { runCommand } from '../interop/run-command';

/** A package as it would be published, and a folder that it is installed in. */
export interface InstalledPackage {
  readonly file: string;
  readonly folder: string;
}

/** As docs/install.md says: without --prefix npm would look for a package in the folders above. */
export async function installPackage(folder: string): Promise<InstalledPackage> {
  const installed = join(folder, 'installed');
  mkdirSync(installed);
  const packed = await runCommand('npm', ['pack', '--silent', '--pack-destination', folder], {
    folder: PACKAGE_ROOT,
  });
  const file = join(folder, packed.trim().split('\n').at(-1) ?? '');
  await runCommand('npm', ['install', '--silent', '--omit=dev', '--prefix', installed, file], { folder });
  return { file, folder: installed };
}
