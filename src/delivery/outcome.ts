import type { Reason } from '../store';

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Provider call of an attempt. */
export interface ProviderCall {
  /** Name in settings and log. */
  readonly provider: string;
  /** Start, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** Duration of the call, in milliseconds. */
  readonly milliseconds: number;
}

/** Outcome of one attempt. The status is that of the provider's HTTP answer, if there was one. */
export type Outcome =
  /** Accepted by the provider, an SMS with its number of parts. */
  | {
      readonly kind: 'sent';
      readonly providerId?: string | undefined;
      readonly parts?: number;
      /** True if the gateway will send a delivery receipt. */
      readonly awaitsReceipt?: boolean;
      readonly status?: number;
    }
  /** Written to a file, and sent to no one. */
  | { readonly kind: 'written' }
  /**
   * Permanently refused: `dead-token` because the device is no longer registered, `foreign-token` because its
   * token belongs to another project of the provider, `stopped` with the account, so that no message can be
   * sent until the operator has corrected that.
   */
  | {
      readonly kind: 'refused' | 'dead-token' | 'foreign-token' | 'stopped';
      readonly reason: Reason;
      readonly status?: number;
    }
  /**
   * Not accepted for now: `busy` because of too many messages, `later` for a reason of its own, so that
   * others may be accepted meanwhile, `failing` because the provider does not work, or cannot be reached.
   */
  | {
      readonly kind: 'busy' | 'later' | 'failing';
      readonly reason: Reason;
      readonly retryAfterMs?: number | undefined;
      readonly status?: number;
    }
  /** Unknown: the provider may have accepted it. */
  | {
      readonly kind: 'unknown';
      readonly reason: Reason;
      readonly status?: number;
      /** True if the provider recognizes a repetition as the same message. */
      readonly repeatable?: boolean;
    }
  /** Not tried, and postponed to a time in milliseconds since 1970 UTC. */
  | { readonly kind: 'not-yet'; readonly until: number }
  /** Resolved into other messages, whose outcomes decide about its end. */
  | { readonly kind: 'resolved' }
  /** Data that it needs is missing. */
  | { readonly kind: 'missing'; readonly reason: Reason }
  /** A duplicate of a message that was sent. */
  | { readonly kind: 'repeated'; readonly reason: Reason<'repeated'> }
  /** Its lifetime is over. */
  | { readonly kind: 'expired'; readonly reason: Reason<'expired'> };

export const EXPIRED: Outcome = { kind: 'expired', reason: { code: 'expired' } };

/** Returns the reason why a message is not sent; null if it was, or nothing was tried. */
export function reasonFor(outcome: Outcome): Reason | null {
  return 'reason' in outcome ? outcome.reason : null;
}
