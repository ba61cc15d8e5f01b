import { crc32, deflateRawSync } from 'node:zlib';

/** Returns a ZIP archive with these files, as APPNOTE.TXT of PKWARE describes it. */
export function zipArchive(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const contents: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0); // version
    head.writeUInt16LE(0x08_00, 2); // names in UTF-8
    head.writeUInt16LE(8, 4); // deflate
    head.writeUInt32LE(0x00_21_00_00, 6); // 1 January 1980
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(path.length, 22);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, path, packed]);
    contents.push(file);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), head, entry, path]));
    offset += file.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...contents, central, Buffer.from('PK\u0005\u0006'), end]);
}
