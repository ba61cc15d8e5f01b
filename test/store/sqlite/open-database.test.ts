import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { StoreError } from '../../../src/store';
import { openDatabase, preparePath } from '../../../src/store/sqlite/open-database';
import { useFolderPerTest } from '../../harness/use-folder';

describe('a connection to a SQLite file', () => {
  const folder = useFolderPerTest();
  const path = (name = 'service.db'): string => join(folder(), name);
  const trouble = (act: () => unknown): unknown => {
    try {
      act();
    } catch (error) {
      return error instanceof StoreError ? [error.trouble, error.message] : error;
    }
    return undefined;
  };
  const settings = (options?: Parameters<typeof openDatabase>[1]) => {
    const database = openDatabase(path(), options);
    const names = ['synchronous', 'foreign_keys', 'trusted_schema', 'secure_delete', 'busy_timeout'] as const;
    const values = [...names, 'journal_mode', 'cache_size', 'journal_size_limit'].map((name) => {
      const row: unknown = database.prepare(`pragma ${name}`).get();
      return [
        name,
        Object.values(row ?? {})
          .map(String)
          .join(),
      ] as const;
    });
    database.close();
    return Object.fromEntries(values);
  };

  /** Full synchronization: what was acknowledged outlives a power failure. */
  const SAFE = {
    synchronous: '2',
    foreign_keys: '1',
    trusted_schema: '0',
    secure_delete: '1',
    busy_timeout: '5000',
  };

  it('keeps what was acknowledged, erases what was deleted, and distrusts the schema', () => {
    expect(settings()).toMatchObject({ ...SAFE, journal_mode: 'wal' });
  });

  it('caches 16 MiB of pages, and truncates its log to 64 MiB', () => {
    expect(settings()).toMatchObject({ cache_size: '-16384', journal_size_limit: '67108864' });
  });

  it('keeps the journal mode of a file that it leaves as it is', () => {
    expect(settings({ asItIs: true })).toMatchObject({ ...SAFE, journal_mode: 'delete' });
    settings();
    expect(settings({ asItIs: true })).toMatchObject({ journal_mode: 'wal' });
  });

  it('changes nothing if it only reads', () => {
    openDatabase(path()).close();
    const database = openDatabase(path(), { asItIs: true, readOnly: true });
    expect(() => {
      database.exec('create table a (b)');
    }).toThrow('readonly');
    database.close();
  });

  it('reports in one line why it cannot be opened', () => {
    expect(trouble(() => openDatabase(path('none/service.db')))).toEqual([
      'unavailable',
      'Cannot open the database file.',
    ]);
    writeFileSync(path('text.db'), 'These are not the bytes of a database. '.repeat(100));
    expect(trouble(() => openDatabase(path('text.db')))).toEqual([
      'corrupt',
      'The file is not an SQLite database, or it is damaged.',
    ]);
  });

  it('finds its file and folder created, readable by their owner only', () => {
    preparePath(path('new/below/service.db'), false);
    const modes = ['new', 'new/below', 'new/below/service.db'].map(
      (name) => statSync(path(name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it('finds nothing created that must exist already', () => {
    expect(
      trouble(() => {
        preparePath(path('new/service.db'), true);
      }),
    ).toEqual(['no-schema', 'Database file not found.']);
    expect(existsSync(path('new'))).toBe(false);
    writeFileSync(path(), '');
    expect(
      trouble(() => {
        preparePath(path(), true);
      }),
    ).toBeUndefined();
  });

  it.each([
    ['', 'The path of the database file is a folder.'],
    ['file/below/service.db', 'Cannot create the database folder.'],
    ['file/service.db', 'Cannot create the database file.'],
  ])('cannot be made at %j', (name, message) => {
    writeFileSync(path('file'), '');
    expect(
      trouble(() => {
        preparePath(path(name), false);
      }),
    ).toEqual(['unavailable', message]);
  });
});
