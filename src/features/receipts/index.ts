import type { Feature } from '../feature';
import { ALERT_RULES } from './alert-rules';
import { addReceiptCommand } from './command';
import { FIELDS, PLACES, readAwaited } from './fields';
import { TURKISH } from './turkish';

export const texts = { tr: TURKISH };

export const receipts = { fields: FIELDS, places: PLACES, read: readAwaited };

export const alertRules = ALERT_RULES;

export const gatewayCommands = addReceiptCommand;

export const loadReceipts: Required<Feature>['loadReceipts'] = async () =>
  (await import('./take-receipts.js')).takeReceipts;
