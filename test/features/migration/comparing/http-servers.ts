import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';

import { listen, endServer } from '../../../../scripts/harness';
import type { HttpRequest } from '../../../../src/features/migration/messages';
import type { Certified } from '../../../harness/certificates';

/** A server of a test's own, and what it was asked. */
export interface TestServer {
  readonly url: string;
  readonly asked: readonly HttpRequest[];
  close(): Promise<void>;
}

export type Answer = (request: HttpRequest, response: ServerResponse, message: IncomingMessage) => void;

/** Starts servers for the tests of the surrounding block, and ends them after each. */
export function useHttpServers(): (answer: Answer, tls?: Certified) => Promise<TestServer> {
  const servers: TestServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return async (answer, tls) => {
    const asked: HttpRequest[] = [];
    const listener: RequestListener = (message, response) => {
      void buffer(message).then((body) => {
        const { method = '', url: target = '', rawHeaders } = message;
        const names = rawHeaders.filter((_, index) => index % 2 === 0);
        const headers = names.map((name, index) => [name, rawHeaders[2 * index + 1] ?? ''] as const);
        asked.push({ method, target, headers, body });
        answer({ method, target, headers, body }, response, message);
      });
    };
    const server: Server =
      tls === undefined
        ? createServer(listener)
        : createTlsServer({ cert: tls.certificate, key: tls.key }, listener);
    const port = await listen(server);
    const started: TestServer = {
      url: `${tls === undefined ? 'http://127.0.0.1' : 'https://localhost'}:${String(port)}`,
      asked,
      close: async () => {
        if (server.listening) await endServer(server);
      },
    };
    servers.push(started);
    return started;
  };
}
