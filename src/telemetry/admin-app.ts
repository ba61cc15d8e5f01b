import express from 'express';

import type { Metrics } from './metrics';

/** The operator's pages; to be served where only the operator gets. */
export function createAdminApp(metrics: Metrics): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/metrics', async (_request, response) => {
    response.set('Content-Type', metrics.registry.contentType).end(await metrics.registry.metrics());
  });
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('Not found. There is /metrics.\n');
  });
  return app;
}
