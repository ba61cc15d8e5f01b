import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { fromBufferPromise } from 'yauzl';

import { archiveOf } from '../../scripts/package-windows/package-windows';
import { useFolder } from '../harness/use-folder';

const folder = useFolder();

it('the archive for Windows contains all files of a folder, in one folder at its top', async () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at) % 251));
  const files = { 'node.exe': bytes, 'a/b/child.js': Buffer.from('1;'), 'a/.hidden ş': Buffer.alloc(0) };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const unpacked: Record<string, Buffer> = {};
  const zip = await fromBufferPromise(archiveOf(folder));
  for await (const entry of zip.eachEntry())
    unpacked[entry.fileName] = await buffer(await zip.openReadStreamPromise(entry));
  expect(unpacked).toEqual(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [`school-notifications/${name}`, content]),
    ),
  );
});
