import type { Reason } from '../store';

/** From 0 up to, not including, 1. */
export type Random = () => number;

/** Whom an attempt asked. */
export interface Asked {
  /** As it is called in settings and log. */
  readonly provider: string;
  /** When, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** How long it took to answer. */
  readonly milliseconds: number;
}

/**
 * What became of one attempt. The status is that of the provider's answer over HTTP, where there was one.
 */
export type Outcome =
  /** The provider has it, an SMS as so many parts. */
  | {
      readonly kind: 'sent';
      readonly providerId?: string | undefined;
      readonly parts?: number;
      /** Says that the gateway will report what becomes of it. */
      readonly awaitsReceipt?: boolean;
      readonly status?: number;
    }
  /** It was written to a file, and goes to nobody. */
  | { readonly kind: 'written' }
  /** It will never be taken. */
  | { readonly kind: 'refused'; readonly reason: Reason; readonly status?: number }
  /** It will never be taken, because the telephone is no longer there. */
  | { readonly kind: 'dead-token'; readonly reason: Reason; readonly status?: number }
  /** It was not taken because there is too much of it. */
  | {
      readonly kind: 'busy';
      readonly reason: Reason;
      readonly retryAfterMs?: number | undefined;
      readonly status?: number;
    }
  /** It was not taken for a cause of its own that may pass: others may be taken meanwhile. */
  | {
      readonly kind: 'later';
      readonly reason: Reason;
      readonly retryAfterMs?: number | undefined;
      readonly status?: number;
    }
  /** It was not taken because the provider does not work, or cannot be reached. */
  | {
      readonly kind: 'failing';
      readonly reason: Reason;
      readonly retryAfterMs?: number | undefined;
      readonly status?: number;
    }
  /** It was not taken because the account is refused: no message is, until the operator has put that right. */
  | { readonly kind: 'stopped'; readonly reason: Reason; readonly status?: number }
  /** The provider may have it or not. */
  | {
      readonly kind: 'unknown';
      readonly reason: Reason;
      readonly status?: number;
      /** Whether the provider takes a repetition for the same message. */
      readonly repeatable?: boolean;
    }
  /** Nothing was tried, and nothing is to be before a moment (milliseconds since 1970 UTC). */
  | { readonly kind: 'not-yet'; readonly until: number }
  /** Other messages were made of it: what becomes of them is its end. */
  | { readonly kind: 'resolved' }
  /** What it needs is not known yet. */
  | { readonly kind: 'missing'; readonly reason: Reason }
  /** The same was sent already. */
  | { readonly kind: 'repeated'; readonly reason: Reason<'repeated'> }
  /** Its lifetime is over. */
  | typeof EXPIRED;

export const EXPIRED = { kind: 'expired', reason: { code: 'expired' } } as const;

/** Why a message is not sent; null where it was, or nothing was tried. */
export function reasonOf(outcome: Outcome): Reason | null {
  return 'reason' in outcome ? outcome.reason : null;
}
