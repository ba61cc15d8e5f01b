import { win32 } from 'node:path';

import { OperatorError } from '../../src/support/errors';
import { parsePostgresUrl, sqlitePath } from '../../src/support/database-url';

const urls = (text: string): readonly string[] => parsePostgresUrl(text).servers.map(({ url }) => url);

describe('a PostgreSQL URL', () => {
  it('with one host is unchanged, and accepts any server', () => {
    const url = 'postgres://u:p@db.example/school?sslmode=require';
    expect(parsePostgresUrl(url)).toMatchObject({ servers: [{ name: 'db.example', url }], target: 'any' });
    expect(urls('postgres:///school?host=/run/postgresql')).toEqual([
      'postgres:///school?host=/run/postgresql',
    ]);
  });

  it('with several hosts is split into one URL each, and requires a server that accepts writes', () => {
    const { servers, target, hosts } = parsePostgresUrl(
      'postgresql://u:p%40,w@a:5433,b,[::1]:5434,db-4.example/school?sslmode=verify-full&sslrootcert=/ca.pem',
    );
    expect(servers.map(({ name }) => name)).toEqual(['a:5433', 'b:5432', '[::1]:5434', 'db-4.example:5432']);
    expect(servers[2]?.url).toBe(
      'postgresql://u:p%40,w@[::1]:5434/school?sslmode=verify-full&sslrootcert=/ca.pem',
    );
    expect([target, hosts]).toEqual(['read-write', 'a:5433,b,[::1]:5434,db-4.example']);
  });

  it('applies the parameter port to hosts without one, and leaves it to the driver for one host', () => {
    expect(urls('postgres://a/db?port=6000')).toEqual(['postgres://a/db?port=6000']);
    expect(urls('postgres://a,b:5433/db?port=6000')).toEqual([
      'postgres://a:6000/db',
      'postgres://b:5433/db',
    ]);
  });

  it.each(['any', 'read-write', 'primary'])('drops target_session_attrs=%s from the URL', (target) => {
    for (const hosts of ['a:1', 'a:1,b:2']) {
      const parsed = parsePostgresUrl(`postgres://${hosts}/db?target_session_attrs=${target}`);
      expect([parsed.target, parsed.servers[0]?.url]).toEqual([target, 'postgres://a:1/db']);
    }
  });

  it.each([
    [
      'a,b/db?target_session_attrs=standby',
      'Unknown target_session_attrs "standby". Use any, read-write or primary',
    ],
    ['a/db?target_session_attrs=', 'Unknown target_session_attrs "". Use any, read-write or primary'],
    ['db?host=a,b', 'Name several hosts before the database, not in the parameter host'],
    ['a,b/db?host=c', 'Name several hosts before the database, not in the parameter host'],
    ['a,/db', 'Host 2 of 2: invalid host or port'],
    ['a:5432:1,b/db', 'Host 1 of 2: invalid host or port'],
    ['a,b:0/db', 'Host 2 of 2: invalid host or port'],
    ['a,b:65536/db', 'Host 2 of 2: invalid host or port'],
    ['a,b/db?port=x', 'Host 1 of 2: invalid host or port'],
    ['a, b/db', 'Host 2 of 2: invalid host or port'],
    ['u:hunter2/x@a,b/db', 'Invalid host, port, user or password'],
    ['u:hun,ter2/x@a,b/db', 'Host 1 of 2: invalid host or port'],
    ['a:x/db', 'Invalid host, port, user or password'],
    ['a,b/db#x', 'Expected postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  ])('%s is refused without showing the password', (rest, message) => {
    expect(() => parsePostgresUrl(`postgres://${rest}`)).toThrow(new OperatorError(message));
  });
});

describe('the path of a SQLite URL', () => {
  it.each([
    ['sqlite:school.db', 'school.db'],
    ['sqlite:/var/lib/school/service.db', '/var/lib/school/service.db'],
    [String.raw`sqlite:C:\data\school.db`, String.raw`C:\data\school.db`],
    ['sqlite:C:/data/school.db', 'C:/data/school.db'],
    ['sqlite:/C:/data/school.db', 'C:/data/school.db'],
    [String.raw`sqlite:///D:\data\school.db`, String.raw`D:\data\school.db`],
    [String.raw`sqlite:\\server\share\school.db`, String.raw`\\server\share\school.db`],
    ['sqlite::memory:', undefined],
    ['postgres://a/db', undefined],
  ])('%s is %s', (url, path) => {
    expect(sqlitePath(url)).toBe(path);
    if (path?.includes('data') === true) expect(win32.isAbsolute(path)).toBe(true);
  });
});
