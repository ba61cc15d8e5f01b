import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';

import { form, RawConnection } from '../../scripts/harness';
import { DatabaseSync } from '../../src/store/sqlite/library';
import { seen, token11Is } from '../harness/asmx-answers';
import { beginRequest } from './begin-request';
import { useServices } from './use-services';

const STOPPING = 'stopping after the running requests; a second signal stops immediately';

describe('a stop', () => {
  const services = useServices();

  // The tests below send SIGTERM.
  it('61 By SIGINT answers the 16 requests in flight and exits with 0', async () => {
    const service = await services.start();
    const idle = await RawConnection.open(service.port);
    const begun = await Promise.all(Array.from({ length: 16 }, () => beginRequest(service)));
    service.signal('SIGINT');
    await service.line(STOPPING, { signal: 'SIGINT' });

    const refused = connect(service.port, '127.0.0.1');
    await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    for (const { connection, rest } of begun) connection.write(rest);
    const answers = await Promise.all(begun.map(({ connection }) => connection.readFinal()));
    for (const answer of answers) expect(seen(answer)).toEqual(token11Is('sample-token-01'));
    await idle.readUntilClosed();

    expect(await service.ended()).toEqual({ code: 0, signal: null });
    expect(service.output.match(/"msg":"request"/g)).toHaveLength(16);
    await service.line('stopped');
  });

  it('61 By a second signal ends the process at once, whatever is in flight', async () => {
    const service = await services.start();
    const { connection } = await beginRequest(service);
    service.signal('SIGTERM');
    await service.line(STOPPING);
    const again = setInterval(() => {
      service.signal('SIGTERM');
    }, 50);
    expect(await service.ended()).toEqual({ code: 143, signal: null });
    clearInterval(again);
    await service.line('stopping immediately', { level: 'warn' });
    expect(await connection.readUntilClosed()).toHaveLength(0);
  });

  it('aborts requests that do not finish in time, and still exits with 0', async () => {
    // A fifth of it is for closing the store, which must do on a busy machine.
    const service = await services.start({ settings: { REQUEST_TIMEOUT_SECONDS: '10' } });
    const { connection } = await beginRequest(service);
    service.signal('SIGTERM');
    expect(await service.ended()).toEqual({ code: 0, signal: null });
    await service.line('aborted requests that did not finish in time');
    expect(await connection.readUntilClosed()).toHaveLength(0);
    expect(service.output).not.toContain('"outcome":"ok"');
  });

  it('that cannot close its store in time reports it, and exits with 1', async () => {
    const service = await services.start({ settings: { ROLE: 'web', REQUEST_TIMEOUT_SECONDS: '2' } });
    const other = new DatabaseSync(join(services.folder, 'data', 'service.db'), { timeout: 5000 });
    try {
      other.exec('begin immediate'); // Now every write waits, and with it the end of the store.
      const request = form('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233');
      const { connection, rest } = await beginRequest(service, { request });
      connection.write(rest);
      service.signal('SIGTERM');
      expect(await service.ended()).toEqual({ code: 1, signal: null });
      expect(await connection.readUntilClosed()).toHaveLength(0);
      await service.line('aborted requests that did not finish in time');
      await service.line('not stopped in time', { level: 'error', seconds: 2 });
      expect(service.output).not.toContain('"msg":"stopped"');
    } finally {
      other.close();
    }
  });
});
