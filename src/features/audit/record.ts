import { Rates } from '../../access';
import type { ActionLog } from '../../admin/login/actions';
import { DAY_MS, HOUR_MS } from '../../support/durations';
import type { Feature } from '../feature';
import { Audit } from './audit';

/**
 * Maximum number of refused log-ins recorded in an hour: strangers can cause any number. The log has all of
 * them.
 */
const MAX_REFUSED = 100;
const KEPT_DAYS = 366;

/** Counts the refused log-ins of each store. */
const REFUSED = new WeakMap<object, Rates>();

export const record: ActionLog['record'] = async (store, done) => {
  if (done.action === 'log-in refused' && isOneTooMany(store)) return;
  await store.write((transaction) => transaction.repository(Audit).add(done));
};

function isOneTooMany(store: object): boolean {
  const rates = REFUSED.get(store) ?? new Rates(HOUR_MS);
  REFUSED.set(store, rates);
  return rates.take('', MAX_REFUSED) > 0;
}

export const list: ActionLog['list'] = (store, action, limit) =>
  store.repository(Audit).list({ action }, limit);

export const removeOutdated: Required<Feature>['removeOutdated'] = (connection, now) =>
  new Audit(connection).removeBefore(now - KEPT_DAYS * DAY_MS);
