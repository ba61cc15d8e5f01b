import { exchange, form, get, RawConnection, token11 } from '../../../scripts/harness';
import { type AsmxServer, startAsmxServer } from '../../harness/asmx-server';
import { authority, certify } from '../../harness/certificates';
import { endpointsWith, handlerOf } from '../../harness/recording-endpoints';

const ISSUER = authority('Test issuer');
const { certificate: cert, key } = certify({ name: 'localhost', issuer: ISSUER });
const TLS = { ca: ISSUER.certificate, servername: 'localhost' };

describe('over TLS', () => {
  let server: AsmxServer;
  beforeAll(async () => {
    server = await startAsmxServer({
      endpoints: endpointsWith((operation) =>
        operation === 'GetTokenDevice'
          ? ({ id }) => Promise.resolve(`TOKEN-${String(id)}`)
          : handlerOf(() => undefined),
      ),
      limits: { bodyBytes: 100_000 },
      tls: { cert, key },
    });
  });
  afterAll(() => server.close());

  const open = (): Promise<RawConnection> => RawConnection.open(server.port, TLS);

  it('an invalid request gets an error page after the answers to those before it', async () => {
    const connection = await open();
    connection.send({ ...get('PushNotificationMobile', 'GetTokenDevice', 'id=7'), keepAlive: true });
    connection.send({ ...token11('8'), keepAlive: true });
    connection.write('no request\r\n\r\n');
    expect((await connection.readFinal()).text).toContain('TOKEN-7');
    expect((await connection.readFinal()).text).toContain('TOKEN-8');
    expect((await connection.readFinal()).status).toBe(400);
    await connection.readUntilClosed();
  });

  it('headers that are too long or too late get an error page', async () => {
    const long = await exchange(server.port, { path: '/', headers: [['X', 'x'.repeat(20_000)]] }, TLS);
    expect(long.status).toBe(431);
    // The others may be slow on a busy machine.
    const impatient = await startAsmxServer({
      endpoints: endpointsWith(() => handlerOf(() => undefined)),
      timeouts: { headersMs: 100 },
      tls: { cert, key },
    });
    const late = await RawConnection.open(impatient.port, TLS);
    late.write('GET / HTTP/1.1\r\n');
    expect((await late.readFinal()).status).toBe(408);
    await late.readUntilClosed();
    await impatient.close();
  });

  it('a body that is too long is refused while it is being sent', async () => {
    const body = 'x'.repeat(3_000_000);
    const refused = await exchange(server.port, form('PushNotificationMobile', 'GetTokenDevice', body), TLS);
    const overPlainHttp = await startAsmxServer({
      endpoints: endpointsWith(() => handlerOf(() => undefined)),
      limits: { bodyBytes: 100_000 },
    });
    const expected = await exchange(
      overPlainHttp.port,
      form('PushNotificationMobile', 'GetTokenDevice', body),
    );
    await overPlainHttp.close();
    expect([refused.status, refused.text]).toEqual([expected.status, expected.text]);
  });

  it('a client that half-closes after its request gets its answer, and the connection ends', async () => {
    const connection = await open();
    connection.send(token11('9'));
    expect((await connection.readFinal()).text).toContain('TOKEN-9');
    connection.endWriting();
    expect((await connection.readUntilClosed()).toString()).toBe('');
  });
});
