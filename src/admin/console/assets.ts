import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import express, { type ErrorRequestHandler, type Router } from 'express';
import type { Logger } from 'pino';

import { html, type Html } from '../../support/html';
import { STYLE_SHEET } from '../../support/html-page';
import { PACKAGE_ROOT } from '../../support/package-root';

const FOLDER = join(PACKAGE_ROOT, 'console');

/** A file for browsers, which each page loads. */
export interface Asset {
  readonly type: 'text/css' | 'text/javascript';
  readonly read: () => Promise<string>;
}

/** The console's own files by their names, in the order in which pages load them. */
export const OWN_ASSETS: Readonly<Record<string, Asset>> = {
  // The style of the service's pages, with additions for the console.
  'console.css': {
    type: 'text/css',
    read: async () => STYLE_SHEET.text + (await readFile(join(FOLDER, 'console.css'), 'utf8')),
  },
  'console.js': { type: 'text/javascript', read: () => readFile(join(FOLDER, 'console.js'), 'utf8') },
};

/** Returns the elements of a page's head that load files. */
export function assetLinks(files: Readonly<Record<string, Asset>>): readonly Html[] {
  return Object.entries(files).map(([name, { type }]) =>
    type === 'text/css'
      ? html`<link rel="stylesheet" href="/assets/${name}">\n`
      : html`<script defer src="/assets/${name}"></script>\n`,
  );
}

/** Serves files for browsers by their names, read once. */
export function assets(files: Readonly<Record<string, Asset>>, logger: Logger): Router {
  const read = new Map<string, Promise<string>>();
  const router = express.Router();
  for (const [name, asset] of Object.entries(files)) {
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
