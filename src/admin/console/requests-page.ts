import { html, type Html, NOTHING } from '../../support/html';
import { FormError } from '../reports/message-filter';
import type { StatsPoint, Store } from '../../store';
import { OWN_FAILURE } from '../../telemetry';
import { badNumber, table, timePart } from './console-page';
import { type Fields, fieldText } from './message-address';
import type { Text, Words } from '../texts/words';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations';

/** Maximum range of a page. A range of whole hours is read by the hour, any other by the minute. */
const MAX_DAYS = 31;

/** Shows the requests in a time range (default: the last hour), and why some had no result. */
export async function requestsPart(
  { stats }: Store,
  query: Fields,
  words: Words,
  now: number,
): Promise<Html> {
  const from = Math.floor(readTime(query, 'from', now - HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const to = Math.ceil(readTime(query, 'to', now) / MINUTE_MS) * MINUTE_MS;
  const wholeHours = from % HOUR_MS === 0 && to % HOUR_MS === 0;
  if (to <= from || to - from > (wholeHours ? MAX_DAYS : 1) * DAY_MS) {
    throw new FormError({
      text: 'The first time must be before the second, by at most one day, or {n} days if both are whole hours.',
      values: { n: MAX_DAYS },
    });
  }
  const { requests, errors: found, forwarded } = await stats.total({ from, to });
  const errors = found.toSorted((one, other) => other.requests - one.requests);
  return html`<h1>${words.t('Requests')}</h1>
<p>${words.html('From {from} to {to} ({zone}). {callers} shows who made them, by day.', {
    from: timePart(from, words),
    to: timePart(to, words),
    zone: words.zone,
    callers: html`<a href="/callers">${words.t('Callers')}</a>`,
  })}</p>
${errorsPart('Rejected requests', 'No rejected requests.', errors.filter(isOfCaller), words)}
<p class="quiet">${words.t('The caller sent something invalid or not allowed (client_error).')}</p>
${errorsPart(
  'Failed requests',
  'No failed requests.',
  errors.filter((each) => !isOfCaller(each)),
  words,
)}<p class="quiet">\
${words.t('The service failed (server_error). The log has one line per request, with the cause.')}</p>
<h2>${words.t('All requests')}</h2>
${requestsTable(requests, words)}${forwardedPart(forwarded, words)}`;
}

/** Shows what became of the requests to the old server; empty if there were none. */
function forwardedPart(requests: StatsPoint['forwarded'], words: Words): Html {
  if (requests.length === 0) return NOTHING;
  const rows = [...new Map(requests.map((each) => [`${each.operation} ${each.binding}`, each])).values()].map(
    ({ operation, binding }) => {
      const meant = requests.filter((each) => each.operation === operation && each.binding === binding);
      return { operation, binding, ...sumForwarded(meant) };
    },
  );
  return html`<h2>${words.t('Forwarded')}</h2>
${table<(typeof rows)[number]>(words, {
  label: 'Forwarded',
  rows,
  columns: [
    { name: 'Operation', cell: ({ operation }) => operationText(operation, words) },
    { name: 'Binding', cell: ({ binding }) => (binding === 'none' ? '–' : binding) },
    { name: 'Requests', cell: ({ all }) => all, kind: 'number' },
    { name: 'Fell back', cell: ({ fellBack }) => badNumber(fellBack, words), kind: 'number' },
    { name: 'No answer', cell: ({ unanswered }) => badNumber(unanswered, words), kind: 'number' },
  ],
})}`;
}

/**
 * Counts forwarded requests: all, the ones answered by this service instead, and the ones without an answer.
 */
export function sumForwarded(
  requests: StatsPoint['forwarded'],
): Readonly<Record<'all' | 'fellBack' | 'unanswered', number>> {
  const sum = (...outcomes: readonly string[]): number =>
    requests
      .filter(({ outcome }) => outcomes.length === 0 || outcomes.includes(outcome))
      .reduce((total, each) => total + each.requests, 0);
  return { all: sum(), fellBack: sum('fallback'), unanswered: sum('unreachable', 'silent', 'broken') };
}

export function requestsTable(requests: StatsPoint['requests'], words: Words): Html {
  return table<RequestTotal>(words, {
    label: 'Requests by operation and binding',
    rows: requestTotals(requests),
    none: 'No requests.',
    columns: [
      { name: 'Operation', cell: ({ operation }) => operationText(operation, words) },
      { name: 'Binding', cell: ({ binding }) => (binding === 'none' ? '–' : binding) },
      { name: { line: 'OK' }, cell: ({ ok }) => ok, kind: 'number' },
      { name: 'Client errors', cell: ({ clientErrors }) => clientErrors, kind: 'number' },
      { name: 'Server errors', cell: ({ serverErrors }) => serverErrors, kind: 'number' },
    ],
  });
}

/** Requests that match no operation are counted under `none`. */
function operationText(operation: string, words: Words): string {
  return operation === 'none' ? words.t('no operation') : operation;
}

type ErrorTotal = StatsPoint['errors'][number];

/** Returns false for failures of the service, which all have one reason. */
function isOfCaller({ reason }: ErrorTotal): boolean {
  return reason !== OWN_FAILURE;
}

function errorsPart(title: Text, none: Text, rows: readonly ErrorTotal[], words: Words): Html {
  return html`<h2>${words.t(title)}</h2>
${table<ErrorTotal>(words, {
  label: title,
  rows,
  none,
  columns: [
    { name: 'Reason', cell: ({ reason }) => words.said({ line: reason }) },
    { name: 'Operation', cell: ({ operation }) => operationText(operation, words) },
    { name: 'Binding', cell: ({ binding }) => (binding === 'none' ? '–' : binding) },
    { name: 'Requests', cell: ({ requests }) => requests, kind: 'number' },
  ],
})}`;
}

/** @throws FormError for an invalid time */
function readTime(query: Fields, name: string, usual: number): number {
  const text = fieldText(query[name]);
  const time = text === undefined ? usual : Date.parse(text);
  if (Number.isNaN(time))
    throw new FormError({
      text: '“{text}” is not a valid time. Expected, for example, 2026-11-23T04:05:00Z.',
      values: { text: text ?? '' },
    });
  return time;
}

/** Sums requests by operation and binding, largest number first. */
function requestTotals(counts: StatsPoint['requests']): readonly RequestTotal[] {
  const totals = new Map<string, RequestTotal>();
  for (const { operation, binding, outcome, requests } of counts) {
    const key = `${operation} ${binding}`;
    const before = totals.get(key) ?? { operation, binding, ok: 0, clientErrors: 0, serverErrors: 0 };
    totals.set(key, {
      ...before,
      ok: before.ok + (outcome === 'ok' ? requests : 0),
      clientErrors: before.clientErrors + (outcome === 'client_error' ? requests : 0),
      serverErrors: before.serverErrors + (outcome === 'server_error' ? requests : 0),
    });
  }
  const all = ({ ok, clientErrors, serverErrors }: RequestTotal): number => ok + clientErrors + serverErrors;
  return [...totals.values()].sort((one, other) => all(other) - all(one));
}

interface RequestTotal {
  readonly operation: string;
  readonly binding: string;
  readonly ok: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
}
