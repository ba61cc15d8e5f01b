import type { Store } from '../../store';
import type { Clock } from '../clock';
import { EXPIRED, type Outcome } from '../outcome';
import type { PushMessage } from '../transports/transport';
import type { NotBefore, Wording } from '../wording';
import type { Deliver } from '../workers/channel-worker';
import type { Provider } from './provider';

interface PushSenderDependencies {
  readonly provider: Pick<Provider<PushMessage>, 'send'>;
  readonly store: Pick<Store, 'markRequests' | 'write'>;
  readonly wording: Pick<Wording, 'push'>;
  readonly notBefore: NotBefore;
  readonly now: Clock;
}

/** Reason why a message can no longer be sent when its time has come. */
const GONE = {
  note: { code: 'note_removed' },
  token: { code: 'device_gone' },
} as const;

const EXPIRED_QUIETLY: Outcome = {
  kind: 'expired',
  reason: { code: 'expired', held: { cause: 'quiet' } },
};

/** Sends a note to one phone, and invalidates its token if the provider declares it dead. */
export function pushSender({ provider, store, wording, notBefore, now }: PushSenderDependencies): Deliver {
  return async ({ id, recipient, school, payload, expiresAt, trace }, { stop, checkLease }) => {
    const obstacle = (): Outcome | undefined => {
      const time = now();
      if (time >= expiresAt) return notBefore(school, expiresAt - 1) >= expiresAt ? EXPIRED_QUIETLY : EXPIRED;
      const until = notBefore(school, time);
      return until > time ? { kind: 'not-yet', until } : undefined;
    };
    const before = obstacle();
    if (before !== undefined) return { outcome: before };

    const content = await store.markRequests.content(recipient, school, payload?.['note'] ?? '');
    if (typeof content === 'string') return { outcome: { kind: 'refused', reason: GONE[content] } };
    const { token, platform, note } = content;
    const text = wording.push(school, content);
    // The store may have been slow.
    const meanwhile = obstacle();
    if (meanwhile !== undefined) return { outcome: meanwhile };
    checkLease();
    const lifeMs = expiresAt - now();
    const message = { id, token, platform, ...text, data: { school, note }, lifeMs, expiresAt, trace };
    const answer = await provider.send(message, lifeMs, stop);
    if (answer.outcome.kind === 'dead-token') {
      await store.write((transaction) => transaction.devices.invalidateToken(recipient, token));
    }
    return answer;
  };
}
