import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';

import { listen } from '../../scripts/harness';
import { certify } from '../harness/certificates';
import { runCommand } from '../harness/run-command';

type Settings = Readonly<Record<string, string>>;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Answers every request with a status and its path, on a port that is returned. */
async function listening(server: Server): Promise<string> {
  servers.push(server);
  return String(await listen(server));
}

function answering(status: number): Server {
  return createServer((request, response) => response.writeHead(status).end(request.url));
}

const health = (settings: Settings) => runCommand('health', [], { folder: tmpdir(), settings });

describe('the command health', () => {
  it.each([
    [200, 0],
    [503, 1],
    [400, 1],
  ])('checks readiness on the configured port: %d results in %d', async (status, code) => {
    const PORT = await listening(answering(status));
    expect(await health({ PORT })).toEqual({ code, out: '/readyz\n', err: '' });
  });

  it('uses TLS if the service does, whichever host the certificate is for', async () => {
    const { certificate: cert, key } = certify({ name: 'elsewhere.example' });
    const server = createTlsServer({ cert, key }, (_request, response) => {
      response.end('over TLS');
    });
    const PORT = await listening(server);
    expect(await health({ PORT, TLS_CERT_FILE: 'own.crt' })).toEqual({ code: 0, out: 'over TLS\n', err: '' });
  });

  it('uses the port without TLS if there is one', async () => {
    const HTTP_PORT = await listening(answering(200));
    expect((await health({ PORT: '1', HTTP_PORT, TLS_CERT_FILE: 'own.crt' })).code).toBe(0);
  });

  it('fails without a response, and names the address', async () => {
    const server = answering(200);
    const PORT = await listening(server);
    server.close();
    await once(server, 'close');
    const { code, out, err } = await health({ PORT });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`No response from the service on 127.0.0.1, port ${PORT}: `);
  });

  it('fails if the service picks its own port', async () => {
    expect(await health({ PORT: '0' })).toMatchObject({ code: 1, out: '' });
  });
});
