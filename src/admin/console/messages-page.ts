import { type Content, html, type Html, NOTHING } from '../../support/html';
import { maskPhone } from '../../support/masks';
import type { Sentence } from '../../support/phrase';
import { matchKind, receiptText, shownRecipient } from '../reports/records';
import {
  type DeliveryPage,
  type DeliveryRecord,
  MESSAGE_CHANNELS,
  MESSAGE_STATES,
  type PageStart,
  REASON_CODES,
  type ReasonCode,
  reasonSentence,
  RECEIPT_CHOICES,
  STATE_CHOICES,
} from '../../store';
import { shown } from '../../support/text';
import { ANY_AGE, defaultAge, readAge, windowSentence } from '../reports/message-filter';
import {
  type AddressTexts,
  type SelectedMessages,
  type Fields,
  fieldText,
  isFiltered,
  toNaming,
  queryText,
  TEXT_FIELDS,
} from './message-address';
import { hiddenFields, statePart, table, timePart, type PageViewer } from './console-page';
import { recordAddress, schoolAddress } from './record-address';
import { type PhoneStory, phoneTimeline } from './timeline';
import { type Action, canChange } from './message-changes';
import { type Moment, waitingSentence } from '../reports/waiting-text';
import type { Text, Words } from '../texts/words';

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

/** Returns the search form. It uses POST, because a phone number must not appear in an address. */
export function filterForm(
  texts: AddressTexts,
  phone: string | undefined,
  { token, words, now }: { readonly token: string; readonly words: Words; readonly now: number },
): Html {
  const { 'newer-than': newer = '', 'older-than': older } = texts;
  const isPeriod = newer === ANY_AGE || readAge(newer) !== undefined;
  const periods = {
    ...PERIODS,
    ...(isPeriod && !Object.hasOwn(PERIODS, newer) && { [newer]: { line: newer } }),
  };
  return html`<details class="card filter"><summary>${words.t('Find messages')}\
${askedText(texts, phone, words)}</summary>
<form method="post" action="/messages/find">
${hiddenFields({ token })}
<div class="fields">
${field('number', words.t('Phone number'), '', words.t('in any format'), 'tel')}${
    phone === undefined
      ? NOTHING
      : html`<div class="field"><label>\
<input type="checkbox" name="phone" \
value="${texts.phone ?? ''}" checked> ${words.t('Number {number}', { number: maskPhone(phone) })}</label>\
</div>\n`
  }${select('channel', 'Channel', MESSAGE_CHANNELS.map(named), texts.channel, words)}\
${select('state', 'State', STATE_CHOICES.map(named), texts.state, words)}\
${select('receipt', 'Receipt', RECEIPT_CHOICES.map(named), texts.receipt, words)}\
${select('reason', 'Reason', REASON_CODES.map(named), texts.reason, words)}${TEXT_FIELDS.map((name) =>
    field(name, words.t(LABELS[name]), texts[name] ?? '', words.t(HINTS[name])),
  )}${select('period', 'Period', Object.entries(periods), isPeriod ? newer : undefined, words, 'default')}\
${field(
  'from',
  words.t('From'),
  isPeriod ? '' : localText(newer, words, now),
  words.t('instead of a period'),
  'datetime-local',
)}${field('until', words.t('Until'), localText(older, words, now), words.zone, 'datetime-local')}</div>
<p><button type="submit">${words.t('Find')}</button> <a href="/messages">${words.t('Clear')}</a></p>
</form>
</details>
`;
}

/** Ages offered by the form. */
const PERIODS = {
  '1h': 'last hour',
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
  [ANY_AGE]: 'any age',
} as const satisfies Readonly<Record<string, Text>>;

/** Returns an age or a time of an address as a date and time field takes it; empty for an invalid one. */
function localText(text: string | undefined, words: Words, now: number): string {
  const age = text === undefined ? undefined : readAge(text);
  const moment = age === undefined ? Date.parse(text ?? '') : now - age;
  return Number.isNaN(moment) ? '' : words.localIso(moment).slice(0, 16);
}

export function formWindow(fields: Fields, words: Words): Pick<AddressTexts, 'newer-than' | 'older-than'> {
  const isoText = (name: string): string | undefined => {
    const text = fieldText(fields[name]);
    const moment = words.momentOf(text ?? '');
    return Number.isNaN(moment) ? text : new Date(moment).toISOString();
  };
  const older = isoText('until');
  const newer = isoText('from') ?? fieldText(fields['period']);
  return {
    ...(newer !== undefined && { 'newer-than': newer }),
    ...(older !== undefined && { 'older-than': older }),
  };
}

/** Summarizes the filter without its time range, which the page shows. */
function askedText(texts: AddressTexts, phone: string | undefined, words: Words): Html {
  const asked = Object.entries(texts).flatMap(([name, value]) =>
    // Keys of the type.
    value === undefined || name.endsWith('-than') ? [] : [askedField(name as NamedField, value, words)],
  );
  const parts =
    phone === undefined
      ? asked
      : [words.t('number {number}', { number: maskPhone(phone) }), ...asked.slice(1)];
  return parts.length === 0 ? NOTHING : html` <span class="quiet">(${parts.join(', ')})</span>`;
}

type NamedField = Exclude<keyof AddressTexts, 'newer-than' | 'older-than'>;

function askedField(name: NamedField, value: string, words: Words): string {
  if (name === 'held' && value !== 'none')
    return words.t('held since {time}', { time: words.of(Number(value) || 0) });
  const [, text] = CHOICES.find(([choice]) => choice === value) ?? [];
  return `${words.t(name)} ${text === undefined ? value.replaceAll('_', ' ') : words.said(text)}`;
}

type Choice = (
  typeof MESSAGE_CHANNELS | typeof STATE_CHOICES | typeof RECEIPT_CHOICES | typeof REASON_CODES
)[number];

/** Returns a choice with its text. Codes of reasons are names; one of them is a state, too. */
function named(choice: Choice): readonly [choice: string, text: Sentence<Text>] {
  if (choice === 'failed_or_expired') return [choice, 'failed or expired'];
  return [choice, isCode(choice) ? { line: choice.replaceAll('_', ' ') } : choice];
}

function isCode(choice: Choice): choice is Exclude<ReasonCode, 'expired'> {
  return choice !== 'expired' && REASON_CODES.some((code) => code === choice);
}

const CHOICES = [...MESSAGE_CHANNELS, ...STATE_CHOICES, ...RECEIPT_CHOICES].map(named);

const LABELS = {
  school: 'School',
  class: 'Class',
  student: 'Student',
  note: 'Note',
  request: 'Mark note',
} as const satisfies Readonly<Record<string, Text>>;
const HINTS = {
  school: 'base URL',
  class: 'id',
  student: 'id',
  note: 'id',
  request: 'message id',
} as const satisfies Readonly<Record<string, Text>>;

function field(name: string, label: string, value: string, hint: string, type = 'text'): Html {
  return html`<div class="field"><label for="f-${name}">${label} <span class="quiet">${hint}</span></label>\
<input id="f-${name}" name="${name}" type="${type}" value="${value}" autocomplete="off" autocapitalize="off" \
spellcheck="false"></div>
`;
}

function select(
  name: string,
  label: Text,
  values: readonly (readonly [value: string, text: Sentence<Text>])[],
  chosen: string | undefined,
  words: Words,
  none: Text = 'any',
): Html {
  const options = values.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : NOTHING}>\
${words.said(text)}</option>`,
  );
  return html`<div class="field"><label for="f-${name}">${words.t(label)}</label>\
<select id="f-${name}" name="${name}"><option value="">${words.t(none)}</option>${options}</select></div>
`;
}

export function messageList(view: ListView): Html {
  const { texts, asked, page, story, words, moment } = view;
  const { messages } = page;
  const isMasked = messages.some((message) => matchKind(message, asked.filter) === 'masked');
  const list =
    story === undefined
      ? messageTable(messages, words, moment, texts, 'No messages. Try a longer time or fewer filters.')
      : phoneTimeline(story, words, moment.now);
  return html`${chipsPart(texts, words)}${windowPart(texts, words)}${list}${
    isMasked
      ? html`<p class="quiet">\
${words.t('Some of these match a masked number only, so they may belong to another phone.')}</p>\n`
      : NOTHING
  }<nav class="pager" aria-label="${words.t('Pages')}">${pagerLinks(view)}</nav>
`;
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

/** Shows what a gateway reported about an SMS that it accepted, behind the state. */
export function receiptPart(message: DeliveryRecord, words: Words): Html {
  const receipt = receiptText(message);
  return receipt === null ? NOTHING : html` ${statePart(receipt, words)}`;
}

interface PushGroup {
  readonly request: string;
  readonly pushes: readonly DeliveryRecord[];
}

/**
 * Puts the push messages of each mark note into one row under it, or in the place of the newest if it is
 * elsewhere.
 */
function grouped(messages: readonly DeliveryRecord[]): readonly (DeliveryRecord | PushGroup)[] {
  const groupOf = (request: string | null): PushGroup | undefined => {
    const pushes = messages.filter(({ requestId }) => request !== null && requestId === request);
    return request === null || pushes.length < 2 ? undefined : { request, pushes };
  };
  return messages.flatMap((message): readonly (DeliveryRecord | PushGroup)[] => {
    const own = groupOf(message.id);
    if (own !== undefined) return [message, own];
    const group = groupOf(message.requestId);
    if (group === undefined) return [message];
    const isUnderNote = messages.some(({ id }) => id === group.request);
    return isUnderNote || group.pushes[0] !== message ? [] : [group];
  });
}

function statesPart(pushes: readonly DeliveryRecord[], words: Words): readonly Html[] {
  return MESSAGE_STATES.flatMap((state) => {
    const { length } = pushes.filter((push) => push.state === state);
    return length === 0 ? [] : [html`${words.number(length)} ${statePart(state, words)} `];
  });
}

/**
 * @param texts - filter of a list in which push messages are grouped; absent for a list of one mark note's
 * @param none - shown without any
 */
export function messageTable(
  messages: readonly DeliveryRecord[],
  words: Words,
  moment: Moment,
  texts?: AddressTexts,
  none: Text = 'No messages yet.',
): Html {
  const { state, reason, channel, request, student } = texts ?? {};
  const isOfPushes =
    texts === undefined || channel === 'push' || request !== undefined || student !== undefined;
  const rows = isOfPushes ? messages : grouped(messages);
  const cell =
    (ofMessage: (message: DeliveryRecord) => Content, ofGroup: (group: PushGroup) => Content = () => '') =>
    (row: DeliveryRecord | PushGroup) =>
      'pushes' in row ? ofGroup(row) : ofMessage(row);
  return table<DeliveryRecord | PushGroup>(words, {
    label: 'Messages',
    rows,
    none,
    columns: [
      {
        name: 'Created',
        cell: cell(
          ({ id, createdAt }) => html`<a href="/messages/${id}">${timePart(createdAt, words)}</a>`,
          ({ request: note, pushes }) =>
            html`<a href="/messages${queryText({ channel: 'push', state, reason, request: note })}">\
${words.count(pushes.length, '{n} push message', '{n} push messages')}</a> ${words.t('on this page')}`,
        ),
      },
      {
        name: 'State',
        cell: cell(
          (message) => html`<span>${statePart(message.state, words)}${receiptPart(message, words)}</span>`,
          ({ pushes }) => html`<span>${statesPart(pushes, words)}</span>`,
        ),
      },
      {
        name: 'Channel',
        cell: cell(
          ({ channel: name }) => words.said(name),
          () => words.t('push'),
        ),
        kind: 'wide',
      },
      {
        name: 'To',
        cell: cell(
          (message) =>
            message.channel === 'mark'
              ? html`<a href="${recordAddress('class', message.school, message.recipient)}">\
${shown(message.recipient)}</a>`
              : shown(shownRecipient(message)),
          ({ request: note }) => html`<a href="/messages/${note}">${words.t('devices of a mark note')}</a>`,
        ),
      },
      {
        name: 'School',
        cell: cell(
          ({ school }) => schoolLink(school),
          ({ pushes }) => schoolLink(pushes[0]?.school ?? ''),
        ),
        kind: 'wide',
      },
      { name: 'Attempts', cell: cell(({ attempts }) => words.number(attempts)), kind: 'wide number' },
      {
        name: 'Reason',
        cell: cell((message) => {
          const why = waitingSentence(message, moment, words);
          const said = why ?? (message.reason && reasonSentence(message.reason));
          return said === null ? '' : shown(words.said(said));
        }),
      },
    ],
  });
}

function schoolLink(url: string): Content {
  return url === '' ? '' : html`<a href="${schoolAddress(url)}">${shown(url)}</a>`;
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
