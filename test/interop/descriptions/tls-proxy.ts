import { readFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import { once } from 'node:events';
import { join } from 'node:path';

import { runCommand } from '../run-command';

export interface TlsProxy {
  /** `https://localhost:PORT` */
  readonly address: string;
  /** What a caller must trust to speak with it. */
  readonly certificate: string;
  close(): Promise<void>;
}

/**
 * Starts a proxy as stands before a service in the open: it ends TLS, and tells the service under which scheme
 * and host it was asked. Its certificate is made for the purpose with openssl.
 *
 * @param target - address of the service, `http://host:port`
 */
export async function startTlsProxy(target: string, folder: string): Promise<TlsProxy> {
  const keyFile = join(folder, 'key.pem');
  const certificateFile = join(folder, 'certificate.pem');
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  await runCommand(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...names, ...files],
    {
      folder,
    },
  );
  const certificate = readFileSync(certificateFile, 'utf8');

  const server = createServer({ key: readFileSync(keyFile), cert: certificate }, (incoming, outgoing) => {
    const { host = '' } = incoming.headers;
    const headers = {
      ...incoming.headers,
      host: new URL(target).host,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': host,
      'x-forwarded-for': incoming.socket.remoteAddress,
    };
    const inner = forward(new URL(incoming.url ?? '/', target), { method: incoming.method, headers });
    inner.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    inner.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The proxy has no TCP port');
  return {
    address: `https://localhost:${String(bound.port)}`,
    certificate,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
