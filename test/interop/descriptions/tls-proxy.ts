import { request as forward } from 'node:http';
import { createServer } from 'node:https';

import { listen, endServer } from '../../../scripts/harness';
import { authority, certify } from '../../harness/certificates';

export interface TlsProxy {
  /** `https://localhost:PORT` */
  readonly address: string;
  /** Holds what a caller must trust to speak with it. */
  readonly issuer: string;
  close(): Promise<void>;
}

/**
 * Starts a proxy as stands before a service in the open: it ends TLS, and tells the service under which scheme
 * and host it was asked.
 *
 * @param target - address of the service, `http://host:port`
 */
export async function startTlsProxy(target: string): Promise<TlsProxy> {
  const issuer = authority('Issuer of the proxy');
  const { certificate, key } = certify({ name: 'localhost', issuer });

  const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
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
  return {
    address: `https://localhost:${String(await listen(server))}`,
    issuer: issuer.certificate,
    close: () => endServer(server),
  };
}
