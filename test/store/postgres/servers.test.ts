import { StoreError } from '../../../src/store';
import { CONNECT_TIMEOUT_MS, serverConfigs } from '../../../src/store/postgres/server-configs';
import { Servers } from '../../../src/store/postgres/servers';

const REFUSED = new StoreError('unavailable', 'PostgreSQL does not respond.');

describe('the servers of a URL', () => {
  it('are abandoned one at a time, however many connections to one fail', () => {
    const servers = new Servers('postgres://a,b,c/db');
    const first = servers.inUse;
    for (let connection = 0; connection < 3; connection += 1) servers.failed(first, REFUSED);
    expect(servers.name).toBe('b:5432');
    servers.failed(servers.inUse, REFUSED);
    expect(servers.name).toBe('c:5432');
    servers.failed(servers.inUse, REFUSED);
    expect(servers.name).toBe('a:5432');
  });

  it('can all be tried within the time for one connection', () => {
    const limits = serverConfigs('postgres://a,b,c,d/db').configs.map(
      ({ config }) => config.connectionTimeoutMillis ?? Infinity,
    );
    expect(limits.reduce((sum, limit) => sum + limit, 0)).toBe(CONNECT_TIMEOUT_MS);
  });

  it('count the lost connections of one generation once', () => {
    const servers = new Servers('postgres://a,b/db');
    let notified = 0;
    const forget = servers.onLost(() => (notified += 1));
    const { generation } = servers;
    for (let connection = 0; connection < 3; connection += 1) servers.lost(generation);
    expect([notified, servers.generation]).toEqual([1, generation + 1]);
    forget();
    servers.lost();
    expect(notified).toBe(1);
  });
});
