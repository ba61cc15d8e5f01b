import express from 'express';
import type { Registry } from 'prom-client';

interface ReadableMetrics {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
}

/** The operator's pages; to be served where only the operator gets. */
export function createAdminApp({ registry }: ReadableMetrics): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/metrics', async (_request, response) => {
    response.set('Content-Type', registry.contentType).end(await registry.metrics());
  });
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('Not found. There is /metrics.\n');
  });
  return app;
}
