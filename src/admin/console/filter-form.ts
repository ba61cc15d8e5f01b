import { html, type Html, NOTHING } from '../../support/html';
import { maskPhone } from '../../support/masks';
import type { Sentence } from '../../support/phrase';
import { MESSAGE_CHANNELS, REASON_CODES, type ReasonCode, RECEIPT_CHOICES, STATE_CHOICES } from '../../store';
import { ANY_AGE, readAge } from '../reports/message-filter';
import type { Text, Words } from '../texts/words';
import { hiddenFields } from './console-page';
import { type AddressTexts, type Fields, fieldText, TEXT_FIELDS } from './message-address';

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
  // An id may be spelled like a choice.
  const isText = name === 'id' || TEXT_FIELDS.some((field) => field === name);
  const [, text] = (isText ? undefined : CHOICES.find(([choice]) => choice === value)) ?? [];
  return `${words.t(name)} ${text === undefined ? value : words.said(text)}`;
}

type FilterChoice = (
  typeof MESSAGE_CHANNELS | typeof STATE_CHOICES | typeof RECEIPT_CHOICES | typeof REASON_CODES
)[number];

/** Returns a choice with its text. Codes of reasons are names; one of them is a state, too. */
function named(choice: FilterChoice): readonly [choice: string, text: Sentence<Text>] {
  if (choice === 'failed_or_expired') return [choice, 'failed or expired'];
  return [choice, isCode(choice) ? { line: choice.replaceAll('_', ' ') } : choice];
}

function isCode(choice: FilterChoice): choice is Exclude<ReasonCode, 'expired'> {
  return choice !== 'expired' && REASON_CODES.some((code) => code === choice);
}

const CHOICES = [...MESSAGE_CHANNELS, ...STATE_CHOICES, ...RECEIPT_CHOICES, ...REASON_CODES].map(named);

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
