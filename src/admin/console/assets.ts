import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import express, { type ErrorRequestHandler, type Router } from 'express';
import type { Logger } from 'pino';

import { STYLE_SHEET } from '../../asmx';

/** Folder of the browser's files in the package: the program is two folders inside the package, compiled or not. */
const FOLDER = join(__dirname, '..', '..', '..', 'console');

interface Asset {
  readonly type: string;
  readonly read: () => Promise<string>;
}

const script = (file: () => string): Asset => ({
  type: 'text/javascript',
  read: () => readFile(file(), 'utf8'),
});

const ASSETS: Readonly<Record<string, Asset>> = {
  // The style of the service's pages, with additions for the console.
  'console.css': {
    type: 'text/css',
    read: async () => STYLE_SHEET.text + (await readFile(join(FOLDER, 'console.css'), 'utf8')),
  },
  'console.js': script(() => join(FOLDER, 'console.js')),
  'uplot.css': { type: 'text/css', read: () => readFile(join(uplotFolder(), 'uPlot.min.css'), 'utf8') },
  'uplot.js': script(() => join(uplotFolder(), 'uPlot.iife.min.js')),
};

function uplotFolder(): string {
  return dirname(require.resolve('uplot/dist/uPlot.iife.min.js'));
}

/** Serves style sheets and scripts, read once. */
export function assets(logger: Logger): Router {
  const read = new Map<string, Promise<string>>();
  const router = express.Router();
  for (const [name, asset] of Object.entries(ASSETS)) {
    router.get(`/assets/${name}`, async (_request, response) => {
      const text = read.get(name) ?? asset.read();
      read.set(name, text);
      response.set({ 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' });
      response.type(`${asset.type}; charset=utf-8`).send(await text);
    });
  }
  // These files are public: an unknown one must not lead to a page, which needs a login.
  router.use('/assets', (_request, response) => {
    response.status(404).type('text/plain').send('Not found.\n');
  });
  const failed: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (!request.path.startsWith('/assets/') || response.headersSent) {
      next(error);
      return;
    }
    logger.error({ err: error }, 'cannot read a file of the console');
    response.status(500).type('text/plain').send('Internal error. See the service’s log.\n');
  };
  router.use(failed);
  return router;
}
