import type { Outcome } from '../outcome/outcome';
import type { ProviderReply } from './provider-client';

/** What any reply but a success means for the message. `detail` is the provider's code of the error, if known. */
export function failureOutcome(reply: ProviderReply, detail = ''): Outcome {
  switch (reply.kind) {
    case 'not-written':
      return { kind: 'failing', reason: reply.reason };
    case 'no-answer':
      return { kind: 'unknown', reason: reply.reason };
    case 'answer': {
      const reason = `The provider answered ${String(reply.status)}${detail && ` ${detail}`}.`;
      const { status, retryAfterMs } = reply;
      if (status === 429) return { kind: 'busy', reason, retryAfterMs };
      if (status >= 500) return { kind: 'failing', reason, retryAfterMs };
      return { kind: 'refused', reason };
    }
  }
}

/** Whether the provider took the message, as far as the status tells. */
export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}
