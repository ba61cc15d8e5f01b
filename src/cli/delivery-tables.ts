import { adviceOn, ATTEMPT_COLUMNS, attemptCells, factsOf, isoTime, matchOf, recipientOf } from '../admin/reports';
import type { AttemptRecord, DeliveryFilter, DeliveryPage, DeliveryRecord, PushCount } from '../store';
import { numberText, shown, textTable } from '../support/text';

const DELIVERY_COLUMNS = ['id', 'channel', 'state', 'to', 'created', 'attempts'];

/** A page of messages for the terminal, a line each; telephone numbers are masked. */
export function deliveryTable({ messages, next }: DeliveryPage, filter: DeliveryFilter): string {
  const isMasked = messages.some((message) => matchOf(message, filter) === 'masked');
  return [
    messages.length === 0 ? 'There are none.' : messageTable(messages, filter),
    ...(isMasked ? ['masked: only what is left of the number is the same; it may be another one.'] : []),
    ...(next === undefined ? [] : [olderOnes(next)]),
  ].join('\n');
}

/** How the next page is asked for. */
export function olderOnes(next: string): string {
  return `There may be older ones: --before ${next}`;
}

function messageTable(messages: readonly DeliveryRecord[], filter: DeliveryFilter = {}): string {
  const { phone, classId, note, student, school } = filter;
  // Ids of classes, notes and students are each school's own.
  const isOfAnySchool = school === undefined && [classId, note, student].some((each) => each !== undefined);
  const more: Readonly<Record<string, (message: DeliveryRecord) => string>> = {
    ...(phone !== undefined && { match: (message) => matchOf(message, filter) ?? '' }),
    ...(isOfAnySchool && { school: (message) => message.school }),
  };
  const rows = messages.map((message) => {
    const { id, channel, state, createdAt, attempts, reason } = message;
    return [
      ...[id, channel, state, recipientOf(message), isoTime(createdAt), String(attempts)],
      ...Object.values(more).map((cell) => cell(message)),
      ...(reason === null ? [] : [reason]),
    ];
  });
  const columns = [...DELIVERY_COLUMNS, ...Object.keys(more)];
  return textTable([...columns, 'reason'], rows, columns.length + 1);
}

/**
 * Everything about one message: a line for each fact, what that means and what to do, and then each attempt to deliver
 * it; callers choose some of the texts.
 *
 * @param now - milliseconds since 1970 UTC
 */
export function deliveryDetails(
  message: DeliveryRecord,
  attempts: readonly AttemptRecord[],
  now: number,
): string {
  return [
    factLines(message),
    adviceOn(message, now),
    ...(attempts.length === 0 ? [] : [attemptTable(attempts)]),
  ].join('\n\n');
}

/**
 * Everything about one request: a line for each fact, what that means and what to do; then what became of how many of
 * its push messages and why, and then the messages themselves.
 *
 * @param pushes - all of them, or as many as are to be listed
 * @param now - milliseconds since 1970 UTC
 */
export function requestDetails(
  request: DeliveryRecord,
  counts: readonly PushCount[],
  pushes: readonly DeliveryRecord[],
  now: number,
): string {
  const story = [factLines(request), adviceOn(request, now)];
  if (counts.length === 0) return story.join('\n\n');
  const left = counts.reduce((sum, { messages }) => sum + messages, -pushes.length);
  return [
    ...story,
    textTable(
      ['push messages', 'state', 'reason'],
      counts.map(({ messages, state, reason }) => [numberText(messages), state, reason ?? '']),
      3,
    ),
    [messageTable(pushes), ...(left > 0 ? [`and ${numberText(left)} more`] : [])].join('\n'),
  ].join('\n\n');
}

function factLines(message: DeliveryRecord): string {
  return factsOf(message)
    .map(([name, value]) => `${name.padEnd(18)}  ${shown(value)}`)
    .join('\n');
}

function attemptTable(attempts: readonly AttemptRecord[]): string {
  return textTable(ATTEMPT_COLUMNS, attempts.map(attemptCells), ATTEMPT_COLUMNS.length);
}
