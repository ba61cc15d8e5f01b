import { attempted } from '../../support/errors';
import type { Feature } from '../feature';
import { ALERT_RULES } from './alert-rules';
import { ROWS } from './settings';
import { TURKISH } from './turkish';

export const settings = { title: 'Protection against SMS pumping' as const, rows: ROWS };

export const texts = { tr: TURKISH };

export const alertRules = ALERT_RULES;

export const findings: Required<Feature>['findings'] = async (config) => {
  const { homeCountries } = await import('./open-guard.js');
  return attempted(() => {
    homeCountries(config);
    return [];
  });
};

export const loadCodeGuard: Required<Feature>['loadCodeGuard'] = async () =>
  (await import('./open-guard.js')).openGuard;

export const countMasked: Required<Feature>['countMasked'] = async (...masked) =>
  (await import('./daily-counts.js')).countMasked(...masked);

export const removeOutdated: Required<Feature>['removeOutdated'] = async (...outdated) =>
  (await import('./daily-counts.js')).removeOutdated(...outdated);
