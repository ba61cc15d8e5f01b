import type { Feature } from '../feature';
import { TURKISH } from './turkish';

export const texts = { tr: TURKISH };

/** Adds a page for each student, class, note and caller, and finds students and schools by their names. */
export const openConsole: Required<Feature>['openConsole'] = async (core) =>
  (await import('./people-pages.js')).peoplePages(core);
