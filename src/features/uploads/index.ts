import type { Feature } from '../feature';
import { TURKISH, TURKISH_ERRORS } from './turkish';

export const texts = { tr: TURKISH };

export const lines = { tr: TURKISH_ERRORS };

/** Adds a page that uploads files, and has the command `import` check and load them. */
export const openConsole: Required<Feature>['openConsole'] = async (core) =>
  (await import('./import-page.js')).importConsole(core);
