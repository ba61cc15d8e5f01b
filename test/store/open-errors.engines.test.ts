import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

import { openStore } from '../../src/store';
import { describeOnPostgres, useDatabase } from '../harness/test-databases';
import { useFolderPerTest } from '../harness/use-folder';

/** Why the store cannot be opened, as the operator reads it. */
async function refusal(url: string): Promise<string> {
  try {
    await (await openStore({ url })).close();
  } catch (error) {
    expect(error).toMatchObject({ name: 'StoreError' });
    return (error as Error).message;
  }
  throw new Error('The store was opened');
}

describe('a SQLite file that cannot be opened is reported in one line', () => {
  const folder = useFolderPerTest();

  it('if it is a folder', async () => {
    mkdirSync(join(folder(), 'service.db'));
    await expect(refusal(`sqlite:${folder()}/service.db`)).resolves.toBe(
      `The path of the database file is a folder. Database: ${folder()}/service.db`,
    );
  });

  it('if its folder cannot be created', async () => {
    writeFileSync(join(folder(), 'file'), '');
    await expect(refusal(`sqlite:${folder()}/file/below/service.db`)).resolves.toBe(
      `Cannot create the database folder. (ENOTDIR) Database: ${folder()}/file/below/service.db`,
    );
  });

  it('if its folder is a file', async () => {
    writeFileSync(join(folder(), 'file'), '');
    await expect(refusal(`sqlite:${folder()}/file/service.db`)).resolves.toBe(
      `Cannot create the database file. (ENOTDIR) Database: ${folder()}/file/service.db`,
    );
  });

  it('if it is not a database', async () => {
    writeFileSync(join(folder(), 'service.db'), 'These are not the bytes of a database. '.repeat(100));
    await expect(refusal(`sqlite:${folder()}/service.db`)).resolves.toBe(
      `The file is not an SQLite database, or it is damaged. Database: ${folder()}/service.db`,
    );
  });

  it('if it is damaged further on', async () => {
    const path = join(folder(), 'service.db');
    await (await openStore({ url: `sqlite:${path}` })).close();
    writeFileSync(path, readFileSync(path).fill(0x55, 4096));
    await expect(refusal(`sqlite:${path}`)).resolves.toBe(`The database file is damaged. Database: ${path}`);
  });
});

it('refuses a URL for neither engine', async () => {
  await expect(refusal('mysql://db')).resolves.toMatch(
    /^Unknown database URL\. It must begin with sqlite: or postgres:/,
  );
});

it('reports in one line that PostgreSQL refuses the connection, without user and password', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await expect(refusal(`postgres://somebody:hunter2@127.0.0.1:${String(port)}/school`)).resolves.toBe(
    `PostgreSQL does not respond. (ECONNREFUSED) Database: school at 127.0.0.1:${String(port)}`,
  );
});

describeOnPostgres('a PostgreSQL that rejects the connection is reported in one line', () => {
  const database = useDatabase('postgres', { per: 'block' });

  it('if the database does not exist', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    await expect(refusal(url.href)).resolves.toBe(
      `The database does not exist in PostgreSQL. (3D000) Database: nowhere at ${url.host}`,
    );
  });

  it('if the password is wrong', async () => {
    const url = new URL(database.url);
    url.password = 'hunter2';
    await expect(refusal(url.href)).resolves.toBe(
      `PostgreSQL rejected the user or the password. (28P01) Database: ${url.pathname.slice(1)} at ${url.host}`,
    );
  });
});
