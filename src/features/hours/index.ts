import type { Feature } from '../feature';
import { notBefore } from './quiet-hours';
import { ROWS, SCHOOL_FIELDS } from './settings';
import { TURKISH } from './turkish';

export const settings = { title: 'Quiet hours' as const, rows: ROWS };

export const texts = { tr: TURKISH };

export const schoolFields = SCHOOL_FIELDS;

export const openHours: Required<Feature>['openHours'] = notBefore;

export const openConsole: Required<Feature>['openConsole'] = async (core) =>
  (await import('./school-fact.js')).hoursConsole(core);
