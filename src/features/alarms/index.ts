import type { Feature } from '../feature';
import { ROWS } from './settings';
import { TURKISH } from './turkish';

export const settings = { title: 'Alarms' as const, rows: ROWS };

export const texts = { tr: TURKISH };

export const commands: Required<Feature>['commands'] = {
  alerts: {
    about: 'list the active alerts, and test their receivers',
    examples: ['', 'test'],
    load: async () => (await import('./command.js')).alerts,
  },
};

export const findings: Required<Feature>['findings'] = async (config) =>
  (await import('./alerts-file.js')).alertsFileFindings(config);

export const watchAlerts: Required<Feature>['watchAlerts'] = async ({ config, ...core }) =>
  new (await import('./notifier.js')).AlertNotifier(config, core);
