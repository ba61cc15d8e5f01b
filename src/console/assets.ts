import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import express, { type Router } from 'express';

import { STYLE_SHEET } from '../asmx';

/** The package's folder of what browsers load: the program is two folders inside the package, compiled or not. */
const FOLDER = join(__dirname, '..', '..', 'console');

interface Asset {
  readonly type: string;
  readonly read: () => Promise<string>;
}

const script = (file: () => string): Asset => ({
  type: 'text/javascript',
  read: () => readFile(file(), 'utf8'),
});

const ASSETS: Readonly<Record<string, Asset>> = {
  // The style of the service's pages, and what the console has beside it.
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
export function assets(): Router {
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
  return router;
}
