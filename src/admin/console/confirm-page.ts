import { html, type Html, NOTHING } from '../../asmx';
import { numberText } from '../../support/text';
import { type AddressTexts, queryOf } from './message-address';
import { type Action, MOST_AT_ONCE, type Plan } from './message-changes';
import { hiddenFields } from './page-parts';
import type { Seen } from './visitor';

const WORDS: Readonly<
  Record<Action, { readonly title: string; readonly button: string; readonly means: string }>
> = {
  retry: {
    title: 'Try again?',
    button: 'Try again',
    means:
      'They are queued again, with as many attempts as new ones. Of requests, the push messages that did not go are. Codes are tried again only while they are worth something.',
  },
  cancel: {
    title: 'Cancel?',
    button: 'Cancel them',
    means:
      'They are taken out of the queue and not sent. Of requests, the push messages that wait are. Codes are erased, and cannot be tried again.',
  },
};

const CHANNEL_WORDS = { sms: 'SMS', push: 'push messages', mark: 'requests' } as const;

export function confirmTitle(action: Action): string {
  return WORDS[action].title;
}

/** Says how many messages an action means, and asks whether it is to be done. */
export function confirmPage(action: Action, plan: Plan, texts: AddressTexts, { token }: Seen): Html {
  const { title, button, means } = WORDS[action];
  const back =
    texts.id === undefined ? `/messages${queryOf(texts)}` : `/messages/${encodeURIComponent(texts.id)}`;
  if (plan.messages === 0) {
    return html`<h1>${title}</h1>
<p>There is nothing here that could be ${action === 'retry' ? 'tried again' : 'cancelled'}.</p>
<p><a href="${back}">Back</a></p>`;
  }
  const parts = plan.channels
    .map(([channel, messages]) => `${numberText(messages)} ${CHANNEL_WORDS[channel]}`)
    .join(', ');
  return html`<h1>${title}</h1>
<p class="lead">${numberText(plan.messages)} ${plan.messages === 1 ? 'message' : 'messages'}: ${parts}.</p>
${plan.isCut ? html`<p>There are more; ${numberText(MOST_AT_ONCE)} are changed at once.</p>\n` : NOTHING}<p>${means}</p>
<form class="actions" method="post" action="/messages/change">${hiddenFields({ ...texts, token, action })}<button>${button}</button> <a href="${back}">Leave them as they are</a></form>`;
}
