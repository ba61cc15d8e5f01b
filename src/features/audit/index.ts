import type { Feature } from '../feature';
import { TURKISH } from './turkish';

export const texts = { tr: TURKISH };

export const actionLog: Required<Feature>['actionLog'] = {
  record: async (...done) => (await import('./record.js')).record(...done),
  list: async (...asked) => (await import('./record.js')).list(...asked),
};

/** Keeps the records for a year. */
export const removeOutdated: Required<Feature>['removeOutdated'] = async (...outdated) =>
  (await import('./record.js')).removeOutdated(...outdated);

export const openConsole: Required<Feature>['openConsole'] = async (core) =>
  (await import('./audit-page.js')).auditConsole(core);
