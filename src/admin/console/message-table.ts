import { type Content, html, type Html, NOTHING } from '../../support/html';
import { type DeliveryRecord, MESSAGE_STATES, reasonSentence } from '../../store';
import { shown } from '../../support/text';
import { receiptText, shownRecipient } from '../reports/records';
import { type Moment, waitingSentence } from '../reports/waiting-text';
import type { Text, Words } from '../texts/words';
import { statePart, table, timePart } from './console-page';
import { type AddressTexts, queryText } from './message-address';
import { recordAddress, schoolAddress } from './record-address';

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
