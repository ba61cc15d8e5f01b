import type { MessageChannel } from '../../store';
import type { RetryRules } from './settle';

const SECOND_MS = 1000;

const PROVIDER_BACKOFF = { baseMs: SECOND_MS, mostMs: 60 * SECOND_MS };

/** How each channel's messages are tried again, for as long as they live. */
export const LANE_RULES: Readonly<Record<MessageChannel, RetryRules>> = {
  // A second SMS costs money and trust: what may have been sent is not sent again.
  sms: { attempts: 5, backoff: PROVIDER_BACKOFF, repeatable: false },
  // A second push message takes the place of the first on the telephone.
  push: { attempts: 8, backoff: PROVIDER_BACKOFF, repeatable: true },
  // Waits for data, which wakes it when it comes; the backoff is for what comes another way.
  mark: {
    attempts: Number.POSITIVE_INFINITY,
    backoff: { baseMs: SECOND_MS, mostMs: 600 * SECOND_MS },
    repeatable: true,
  },
};
