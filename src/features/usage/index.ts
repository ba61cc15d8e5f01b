import type { Feature } from '../feature';
import { COUNTRY_FIELDS } from './country-fields';
import { TURKISH } from './turkish';

/** The plot of a month's days. */
export const needs = ['charts'];

export const texts = { tr: TURKISH };

export const countryFields = COUNTRY_FIELDS;

export const commands: Required<Feature>['commands'] = {
  usage: {
    about: 'count the messages of a month and their cost',
    examples: ['', '--month 2026-11 --by school --csv > usage.csv'],
    load: async () => (await import('./command.js')).usage,
  },
};

export const countRemoved: Required<Feature>['countRemoved'] = async (...removal) =>
  (await import('./count-removed.js')).countRemoved(...removal);

export const openConsole: Required<Feature>['openConsole'] = async (core) =>
  (await import('./usage-page.js')).usageConsole(core);
