import { html, type Html, NOTHING } from '../../support/html';
import type { DeliveryPage, PageStart } from '../../store';
import { ANY_AGE, defaultAge, windowSentence } from '../reports/message-filter';
import { matchKind } from '../reports/records';
import type { Moment } from '../reports/waiting-text';
import type { Text, Words } from '../texts/words';
import { hiddenFields, type PageViewer } from './console-page';
import { type AddressTexts, isFiltered, queryText, type SelectedMessages, toNaming } from './message-address';
import { type Action, canChange } from './message-changes';
import { messageTable } from './message-table';
import { type PhoneStory, phoneTimeline } from './timeline';

export const PAGE_LENGTH = 50;

interface ListView {
  readonly texts: AddressTexts;
  readonly asked: SelectedMessages;
  readonly page: DeliveryPage;
  readonly start: PageStart;
  /** The codes to the phone that was searched for, if any. */
  readonly story: PhoneStory | undefined;
  readonly words: Words;
  readonly moment: Moment;
}

export function messageList(view: ListView): Html {
  const { texts, asked, page, story, words, moment } = view;
  const { messages } = page;
  const isMasked = messages.some((message) => matchKind(message, asked.filter) === 'masked');
  const list =
    story === undefined
      ? messageTable(messages, words, moment, texts, adviceWithoutMessages(texts))
      : phoneTimeline(story, words, moment.now);
  return html`${chipsPart(texts, words)}${windowPart(texts, words)}${list}${
    isMasked
      ? html`<p class="quiet">\
${words.t('Some of these match a masked number only, so they may belong to another phone.')}</p>\n`
      : NOTHING
  }<nav class="pager" aria-label="${words.t('Pages')}">${pagerLinks(view)}</nav>
`;
}

/** Advises only what the list allows. */
function adviceWithoutMessages(texts: AddressTexts): Text {
  const isOfAll = texts['older-than'] === undefined && defaultAge(toNaming(texts)) === ANY_AGE;
  if (isFiltered(texts))
    return isOfAll ? 'No messages match.' : 'No messages. Try a longer time or fewer filters.';
  return isOfAll ? 'No messages yet.' : 'No messages. Try a longer time.';
}

/** Common filters; a second click removes one. */
const CHIPS: readonly (readonly [name: Text, chip: AddressTexts])[] = [
  ['Failed', { state: 'failed_or_expired' }],
  ['Waiting', { state: 'queued' }],
  ['Codes', { channel: 'sms' }],
  ['Notes', { channel: 'mark' }],
  ['Last hour', { 'newer-than': '1h' }],
];

function chipsPart(texts: AddressTexts, words: Words): Html {
  const links = CHIPS.map(([name, chip]) => {
    // Keys of the type.
    const isOn = Object.entries(chip).every(([field, value]) => texts[field as keyof AddressTexts] === value);
    const off = Object.fromEntries(Object.keys(chip).map((field) => [field, undefined]));
    const address = `/messages${queryText({ ...texts, ...(isOn ? off : chip) })}`;
    return html`<a href="${address}"${isOn ? html` aria-current="true"` : NOTHING}>\
${words.t(name)}</a>`;
  });
  return html`<nav class="chips" aria-label="${words.t('Filters')}">${links}</nav>\n`;
}

/** Time ranges longer than the default. */
const WINDOWS = { '7d': '7 days', '30d': '30 days', [ANY_AGE]: 'all' } as const satisfies Readonly<
  Record<string, Text>
>;

/** Shows the time range of the list, with links to others. */
function windowPart(texts: AddressTexts, words: Words): Html {
  const naming = toNaming(texts);
  const links = Object.entries(WINDOWS)
    .filter(([age]) => age !== defaultAge(naming))
    .map(
      ([age, name]) =>
        html` <a href="/messages${queryText({ ...texts, 'newer-than': age })}">${words.t(name)}</a>`,
    );
  return html`<p class="quiet">\
${words.html('Messages {time}. Show:{links}', { time: words.said(windowSentence(naming, words)), links })}\
</p>\n`;
}

function pagerLinks({
  texts,
  page: { messages, next },
  start: { before, after },
  words,
}: ListView): readonly Html[] {
  const link = (text: string, more: Readonly<Record<string, string | undefined>>, rel = ''): Html =>
    html`<a href="/messages${queryText(texts, more)}"${rel === '' ? NOTHING : html` rel="${rel}"`}>\
${text}</a>`;
  const newer = after === undefined ? (before === undefined ? undefined : messages.at(0)?.id) : next;
  const older = after === undefined ? next : messages.at(-1)?.id;
  return [
    ...(before === undefined && after === undefined ? [] : [link(words.t('Newest'), {})]),
    ...(newer === undefined ? [] : [link(words.t('Newer'), { after: newer }, 'prev')]),
    ...(older === undefined ? [] : [link(words.t('Older'), { before: older }, 'next')]),
  ];
}

/** @param isOffered - false for an action that can do nothing to the messages */
export function listActions(
  texts: AddressTexts,
  { may, token, words }: PageViewer,
  isOffered: (action: Action) => boolean,
): Html {
  const csv = html`<a href="/messages.csv${queryText(texts)}">${words.t('Download CSV')}</a>`;
  const [mayRetry, mayCancel] = (['retry', 'cancel'] as const).map(
    (action) => may(action) && canChange(action, texts) && isOffered(action),
  );
  if (mayRetry !== true && mayCancel !== true) return html`<p class="actions">${csv}</p>\n`;
  if (!isFiltered(texts))
    return html`<p class="actions">${csv} <span class="quiet">\
${words.t('Filter the messages to retry or cancel them.')}</span></p>\n`;
  const retry = html`<button name="action" value="retry" class="plain">${words.t('Retry all …')}</button>`;
  const cancel = html`<button name="action" value="cancel" class="danger apart">\
${words.t('Cancel all …')}</button>`;
  return html`<form class="actions" method="post" action="/messages/confirm">
${hiddenFields({ ...texts, token })}
${mayRetry === true ? retry : NOTHING}
${csv}
${mayCancel === true ? cancel : NOTHING}</form>
`;
}
