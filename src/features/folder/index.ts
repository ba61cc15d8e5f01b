import type { Feature } from '../feature';
import { ALERT_RULES } from './alert-rules';
import { errorsFileIn } from './errors-file';
import { ROWS } from './settings';
import { TURKISH } from './turkish';

export const settings = { title: 'Import folder' as const, rows: ROWS };

export const texts = { tr: TURKISH };

export const alertRules = ALERT_RULES;

export const dataPaths: Required<Feature>['dataPaths'] = (dataFolder) => [errorsFileIn(dataFolder)];

export const openWork: Required<Feature>['openWork'] = async ({ config, store, logger }) =>
  (await import('./scheduled-imports.js')).openImports(config, store, logger);

export const openConsole: Required<Feature>['openConsole'] = async (core) =>
  (await import('./last-import.js')).lastImportPart(core);
