import type { Feature } from '../feature';
import { TURKISH } from './turkish';

export const texts = { tr: TURKISH };

export const helpAddress = '/docs';

/** Serves the package's documents. */
export const openConsole: Required<Feature>['openConsole'] = async ({ users }) => {
  const { documentsPages } = await import('./documents-pages.js');
  return { routes: documentsPages(users) };
};
