import type { Deliver } from '../lanes';
import type { Clock } from '../time';
import type { SmsMessage } from '../transports';
import type { Wording } from '../wording';
import type { Provider } from './provider';

/** Sends a code. */
export function smsSender(
  provider: Pick<Provider<SmsMessage>, 'send'>,
  wording: Pick<Wording, 'sms'>,
  now: Clock,
): Deliver {
  return async ({ id, recipient, payload, expiresAt, trace }, { stop, checkLease }) => {
    const code = payload?.['code'];
    if (now() >= expiresAt || code === undefined) return { outcome: { kind: 'expired' } };
    const { text, parts } = wording.sms(recipient, code);
    checkLease();
    const { outcome, ...answer } = await provider.send({ id, phone: recipient, text, trace }, stop);
    return { ...answer, outcome: outcome.kind === 'sent' ? { ...outcome, parts } : outcome };
  };
}
