import { copyFileSync, createWriteStream, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { openPromise } from 'yauzl';

import { makeRunFolder } from '../../../scripts/harness';
import { packageWindows, windowsNode } from '../../../scripts/package-windows/package-windows';
import { driveC, nodePath, prepareWine, PROGRAM_FOLDER, startCommands } from '../../windows/wine';
import { buildProgram, prepareFiles } from '../surroundings';

/** Global set-up of the project "windows": the archive for Windows, unpacked on drive C: of a prefix of Wine. */
export default async function setUp(): Promise<void> {
  buildProgram();
  await prepareFiles();
  const { path } = makeRunFolder('windows', tmpdir());
  const nodes = { 20: await windowsNode(20), 24: await windowsNode(24) };
  const [archive] = await Promise.all([packageWindows(path), prepareWine(path, nodes)]);
  await unpack(archive, driveC(PROGRAM_FOLDER));
  copyFileSync(nodePath(24), join(driveC(PROGRAM_FOLDER), 'node.exe'));
  await startCommands();
}

/** Unpacks an archive without the folder at its top. */
async function unpack(archive: string, folder: string): Promise<void> {
  const zip = await openPromise(archive);
  for await (const entry of zip.eachEntry()) {
    const path = join(folder, entry.fileName.slice(entry.fileName.indexOf('/') + 1));
    mkdirSync(dirname(path), { recursive: true });
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path));
  }
}
