import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Asset } from '../../admin/console/assets';
import { PACKAGE_ROOT } from '../../support/package-root';

const FOLDER = join(PACKAGE_ROOT, 'src', 'features', 'charts', 'browser');

/** Returns what draws plots in the browser, by its name in addresses. */
export function plotAssets(): Readonly<Record<string, Asset>> {
  const library = dirname(require.resolve('uplot/dist/uPlot.iife.min.js'));
  const file = (type: Asset['type'], folder: string, name: string): Asset => ({
    type,
    read: () => readFile(join(folder, name), 'utf8'),
  });
  return {
    'uplot.css': file('text/css', library, 'uPlot.min.css'),
    'plots.css': file('text/css', FOLDER, 'plots.css'),
    'uplot.js': file('text/javascript', library, 'uPlot.iife.min.js'),
    'plots.js': file('text/javascript', FOLDER, 'plots.js'),
  };
}
