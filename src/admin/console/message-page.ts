import { type Content, html, type Html, NOTHING } from '../../support/html';
import { adviceOn, type Fact, listFacts } from '../reports/message-facts';
import { receiptText } from '../reports/records';
import {
  type AttemptRecord,
  type DeliveryRecord,
  hasGone,
  type PushCount,
  reasonSentence,
  type SchoolMatch,
  type Store,
} from '../../store';
import { shown } from '../../support/text';
import { explanationFor, type Moment } from '../reports/waiting-text';
import { canRetry } from './message-changes';
import { messageTable, receiptPart } from './message-table';
import { callerAddress, recordAddress, schoolAddress } from './record-address';
import { messageTimeline } from './timeline';
import { facts, helpLink, hiddenFields, statePart, table, timePart, type PageViewer } from './console-page';
import type { Text, Words } from '../texts/words';

/** Number of push messages shown for a request; another page lists all. */
const SHOWN_PUSHES = 20;

/** Everything known about one message. */
interface Story {
  readonly message: DeliveryRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly counts: readonly PushCount[];
  readonly pushes: readonly DeliveryRecord[];
  /** Its school, class and note by their names, as far as they are imported. */
  readonly names: readonly (readonly [kind: string, name: Content])[];
  readonly moment: Moment;
}

/** @returns undefined for an unknown message */
export async function readStory(store: Store, id: string, now: number): Promise<Story | undefined> {
  const { deliveries, workers } = store;
  const [message] = await deliveries.list({ ids: [id] }, 1);
  if (message === undefined) return undefined;
  const moment = { now, holds: await workers.holds(now) };
  if (message.channel !== 'mark') {
    const ids = message.requestId === null ? [] : [message.requestId];
    const [request] = await deliveries.list({ ids }, 1);
    const names = request === undefined ? [] : await findNames(store, request);
    const student = await store.schools.studentOfDevice(store.keyForm(message.recipient), message.school);
    const link =
      student && html`<a href="${recordAddress('student', message.school, student)}">${shown(student)}</a>`;
    return {
      ...{ message, attempts: await deliveries.listAttempts(id), counts: [], pushes: [] },
      names: [['student', link ?? ''], ...names],
      moment,
    };
  }
  const counts = await deliveries.pushCounts(id);
  const pushes = counts.length === 0 ? [] : (await deliveries.page({ request: id }, SHOWN_PUSHES)).messages;
  return { message, attempts: [], counts, pushes, names: await findNames(store, message), moment };
}

/** Maximum number of matches of an id in one school: a student, a class and a note. */
const MAX_MATCHES = 3;

async function findNames(
  { schools, keyForm }: Store,
  { school, recipient, note }: DeliveryRecord,
): Promise<Story['names']> {
  const nameOf = async (kind: SchoolMatch['kind'], id: string) =>
    (await schools.matching(keyForm(id), MAX_MATCHES, school)).find((match) => match.kind === kind);
  const ofClass = await nameOf('class', recipient);
  const ofNote = note === null ? undefined : await nameOf('note', note);
  const link = (kind: 'class' | 'note', id: string, name?: string): Html =>
    html`<a href="${recordAddress(kind, school, id)}">\
${shown(name === undefined ? id : `${name} (${id})`)}</a>`;
  return [
    ['note', note === null ? '' : link('note', note, ofNote?.name)],
    ['class', link('class', recipient, ofClass?.name)],
    ['school name', (ofClass ?? ofNote)?.schoolName ?? ''],
  ];
}

/** @param why - the outcome in words, if there is more to say than the state */
function leadPart(message: DeliveryRecord, why: string | undefined, words: Words): Html {
  const state = html`${statePart(message.state, words)}${receiptPart(message, words)} `;
  if (why === undefined) return state;
  // What a message waits for, and why it expired, name its state.
  if (message.state === 'queued') return html`<strong class="state waiting">${why}</strong>`;
  if (message.reason?.code === 'expired') return html`<strong class="bad">${why}</strong>`;
  return html`${state}<strong>${why}</strong>`;
}

/** Returns the history of a message: its outcome with reason, advice, timeline, and then the details. */
export function storyPart({ message, attempts, counts, pushes, names, moment }: Story, words: Words): Html {
  const why = explanationFor(message, moment, words);
  // The first line has said it.
  const advice = adviceOn(message, moment, words).slice(message.state === 'queued' ? 1 : 0);
  const named = names.filter(([, name]) => name !== '');
  return html`<p class="lead">${leadPart(message, why && shown(words.said(why)), words)}</p>
<p>${advice.map((sentence) => html`${words.said(sentence)} `)}${helpLink('messages#states', words)}</p>
${
  message.channel === 'mark'
    ? NOTHING
    : html`<h2>${words.t('Timeline')}</h2>\n${messageTimeline(message, attempts, words, moment)}`
}${counts.length === 0 ? NOTHING : pushesPart(message, counts, pushes, words, moment)}<h2>\
${words.t('Details')}</h2>
<div class="card">${facts(words.t('Message details'), [
    ...named.map(
      ([kind, name]) => [detailName(kind, words), typeof name === 'string' ? shown(name) : name] as const,
    ),
    ...listFacts(message)
      // The next attempt of a message that is due is when nothing holds it.
      .filter(([name]) => name !== 'next attempt' || message.nextAttemptAt > moment.now)
      .map(([name, value]) => [detailName(name, words), factValue(name, value, message, words)] as const),
  ])}</div>
`;
}

/** Names of the details, which commands write as names of fields. */
const DETAILS: Readonly<Record<string, Text>> = {
  student: 'Student',
  note: 'Note',
  class: 'Class',
  'school name': 'School',
  id: 'Message',
  channel: 'Channel',
  state: 'State',
  to: 'To',
  school: 'Base URL',
  caller: 'Caller',
  request: 'Mark note',
  'without a device': 'Students without a device',
  attempts: 'Attempts',
  created: 'Accepted at',
  changed: 'Last change',
  'next attempt': 'Next attempt',
  expires: 'Expires at',
  'provider id': 'Id at the gateway',
  receipt: 'Receipt',
  'receipt code': 'Code of the receipt',
  'receipt time': 'Time of the receipt',
  'delivered at': 'Delivered at',
  'delivered by': 'Delivered by',
  parts: 'SMS parts',
  reason: 'Code of the reason',
  explanation: 'Reason',
};

function detailName(name: string, words: Words): string {
  const text = DETAILS[name];
  return text === undefined ? name : words.t(text);
}

function factValue(name: string, value: Fact, message: DeliveryRecord, words: Words): Html | string {
  if (value instanceof Date) return timePart(value.getTime(), words, 'clock');
  if (name === 'request') return html`<a href="/messages/${value}">${value}</a>`;
  if (name === 'school') return html`<a href="${schoolAddress(value)}">${shown(value)}</a>`;
  if (name === 'caller') return html`<a href="${callerAddress(value)}">${shown(value)}</a>`;
  if (name === 'channel') return words.t(message.channel);
  if (name === 'state') return statePart(message.state, words);
  const receipt = receiptText(message);
  if (name === 'receipt' && receipt !== null) return statePart(receipt, words);
  const { reason } = message;
  return shown(name === 'explanation' && reason !== null ? words.said(reasonSentence(reason)) : value);
}

function pushesPart(
  { id }: DeliveryRecord,
  counts: readonly PushCount[],
  pushes: readonly DeliveryRecord[],
  words: Words,
  moment: Moment,
): Html {
  const of = (state: string): string =>
    `/messages?request=${encodeURIComponent(id)}&channel=push&state=${state}`;
  return html`<h2>${words.t('Push messages')}</h2>
${table<PushCount>(words, {
  label: 'Push messages by result',
  rows: counts,
  none: 'No push messages.',
  columns: [
    { name: 'State', cell: ({ state }) => html`<a href="${of(state)}">${statePart(state, words)}</a>` },
    { name: 'Messages', cell: ({ messages }) => messages, kind: 'number' },
    {
      name: 'Reason',
      cell: ({ reason }) => shown(reason === null ? '' : words.said(reasonSentence(reason))),
    },
  ],
})}<p><a href="/messages?request=${id}">${words.t('All push messages of this mark note')}</a></p>
${messageTable(pushes, words, moment)}`;
}

export function storyActions(message: DeliveryRecord, { may, token, words }: PageViewer, now: number): Html {
  const { id, state } = message;
  if (hasGone(state) || state === 'sending') return NOTHING;
  const isWaiting = state === 'queued' || state === 'open';
  if (!may(isWaiting ? 'cancel' : 'retry') || (!isWaiting && !canRetry(message, now))) return NOTHING;
  const button = isWaiting
    ? html`<button name="action" value="cancel" class="danger">${words.t('Cancel …')}</button>`
    : html`<button name="action" value="retry">${words.t('Retry …')}</button>`;
  return html`<form class="actions" method="post" action="/messages/confirm">${hiddenFields({ id, token })}\
${button}</form>
`;
}
