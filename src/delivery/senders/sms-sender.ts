import type { Clock } from '../clock';
import { EXPIRED } from '../outcome';
import type { Wording } from '../wording';
import type { Deliver } from '../workers/channel-worker';
import type { SmsRoutes } from './sms-routes';

export function smsSender(
  routes: Pick<SmsRoutes, 'send'>,
  wording: Pick<Wording, 'sms'>,
  now: Clock,
): Deliver {
  return async (claimed, { stop, checkLease }) => {
    const { id, recipient, payload, expiresAt, trace } = claimed;
    const code = payload?.['code'];
    if (now() >= expiresAt || code === undefined) return { outcome: EXPIRED };
    const { text, parts } = wording.sms(recipient, code);
    checkLease();
    const message = { id, phone: recipient, text, lifeMs: expiresAt - now(), trace };
    const { outcome, ...answer } = await routes.send(message, claimed, stop);
    // The gateway knows best how many SMS it bills.
    return { ...answer, outcome: outcome.kind === 'sent' ? { parts, ...outcome } : outcome };
  };
}
