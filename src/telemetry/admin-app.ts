import express from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import { FORWARDED_HEADERS, type OtherForwardedHeader } from '../asmx/internal';

/** Published metrics, of one process or of all. */
export interface ReadableMetrics {
  readonly registry: Pick<Registry, 'contentType' | 'metrics' | 'getMetricsAsJSON'>;
}

/** Parts of the console's server, besides the metrics. */
interface AdminParts {
  /** Runs before the gate, and authorizes its own requests; default: none. */
  readonly reloads?: express.RequestHandler | undefined;
  /** Only admits authorized users. */
  readonly gate: express.RequestHandler;
  /** Default: none. */
  readonly pages?: express.RequestHandler | undefined;
  /** Express's "trust proxy". */
  readonly trustProxy: boolean | number | string[];
  /** Further headers of those proxies. */
  readonly forwardedHeaders?: readonly OtherForwardedHeader[] | undefined;
  /** Logs unhandled errors. */
  readonly logger: Logger;
}

/** Creates the application of the console's port. */
export function createAdminApp(
  { registry }: ReadableMetrics,
  { reloads, gate, pages, trustProxy, forwardedHeaders, logger }: AdminParts,
): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy);
  app.set(FORWARDED_HEADERS, forwardedHeaders);
  if (reloads !== undefined) app.use(reloads);
  app.use(gate);
  app.get('/metrics', async (_request, response) => {
    response.set('Content-Type', registry.contentType).end(await registry.metrics());
  });
  if (pages !== undefined) app.use(pages);
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('Not found. Did you mean /metrics?\n');
  });
  // Express's default handler would send the error's stack.
  const failed: express.ErrorRequestHandler = (error: unknown, _request, response, next) => {
    const isUnreadable = error instanceof URIError;
    if (!isUnreadable) logger.error({ err: error }, 'admin port failed');
    // Express then closes the connection.
    if (response.headersSent) next(error);
    else if (isUnreadable) response.status(400).type('text/plain').send('Invalid request.\n');
    else response.status(500).type('text/plain').send('Internal error. See the service’s log.\n');
  };
  app.use(failed);
  return app;
}
