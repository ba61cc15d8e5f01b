import { copyFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeRunFolder } from '../../../scripts/harness';
import { stageWindows, windowsNode } from '../../../scripts/package-windows/package-windows';
import { driveC, nodePath, prepareWine, PROGRAM_FOLDER, startCommands } from '../../windows/wine';
import { buildProgram, prepareFiles } from '../surroundings';

/**
 * Global set-up of the project "windows": what the archive for Windows contains, on drive C: of a prefix of Wine. That
 * the archive contains it: test/packaging/windows-archive.test.ts.
 */
export default async function setUp(): Promise<void> {
  buildProgram();
  await prepareFiles();
  const { path } = makeRunFolder('windows', tmpdir());
  const nodes = { 20: await windowsNode(20), 24: await windowsNode(24) };
  const staged = join(path, 'staged');
  await Promise.all([stageWindows(staged), prepareWine(path, nodes)]);
  renameSync(staged, driveC(PROGRAM_FOLDER));
  copyFileSync(nodePath(24), join(driveC(PROGRAM_FOLDER), 'node.exe'));
  await startCommands();
}
