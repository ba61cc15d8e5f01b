import { once } from 'node:events';
import type { TlsOptions } from 'node:tls';

import express from 'express';

import { endServer, portOf } from '../../scripts/harness';
import { type AsmxOptions, createAsmx, createHttpServer, type HttpTimeouts } from '../../src/asmx';
import { FORWARDED_HEADERS, type OtherForwardedHeader } from '../../src/asmx/internal';

export interface AsmxServerOptions extends AsmxOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Address to listen on; undefined for all. */
  readonly host?: string | undefined;
  readonly timeouts?: Partial<HttpTimeouts>;
  /** How TLS is spoken; plain HTTP by default. */
  readonly tls?: TlsOptions;
  /** Express's "trust proxy": a number of hops, or addresses; nobody by default. */
  readonly trustProxy?: number | string[];
  /** Further headers of those proxies. */
  readonly forwardedHeaders?: readonly OtherForwardedHeader[];
}

export interface AsmxServer {
  readonly port: number;
  /** Ends the server and the connections it still has. */
  close(): Promise<void>;
}

/** Starts an HTTP server that serves ASMX endpoints and nothing else. */
export async function startAsmxServer(options: AsmxServerOptions): Promise<AsmxServer> {
  const { port = 0, host, timeouts, tls, trustProxy = false, forwardedHeaders, ...asmxOptions } = options;
  const asmx = await createAsmx(asmxOptions);
  const app = express().disable('x-powered-by').set('trust proxy', trustProxy);
  app.set(FORWARDED_HEADERS, forwardedHeaders);
  app.use(asmx.middleware);

  const server = createHttpServer(app, asmx, { timeouts, tls, soap: asmx.middleware });
  server.listen({ port, host });
  await once(server, 'listening');
  return {
    port: portOf(server),
    close: () => endServer(server),
  };
}
