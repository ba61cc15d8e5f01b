import { html, type Html } from '../../asmx';
import { OperatorError } from '../../support/errors';
import type { FigurePoint, Store } from '../../store';
import { numberText } from '../../support/text';
import { table, timePart } from './console-page';
import { type Fields, fieldText } from './message-address';
import type { TimeText } from '../reports/time-text';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Maximum range of a page. A range of whole hours is read by the hour, any other by the minute. */
const MOST_DAYS = 31;

/**
 * Returns the address of the page.
 * @param at - milliseconds since 1970 UTC
 */
export function requestsAddress(at: number, stepMs: number): string {
  return `/requests?from=${new Date(at).toISOString()}&to=${new Date(at + stepMs).toISOString()}`;
}

/** Shows the requests in a time range (default: the last hour), and why some had no result. */
export async function requestsPart(
  { figures }: Store,
  query: Fields,
  time: TimeText,
  now: number,
): Promise<Html> {
  const from = Math.floor(timeOf(query, 'from', now - HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const to = Math.ceil(timeOf(query, 'to', now) / MINUTE_MS) * MINUTE_MS;
  const wholeHours = from % HOUR_MS === 0 && to % HOUR_MS === 0;
  if (to <= from || to - from > (wholeHours ? MOST_DAYS : 1) * DAY_MS) {
    throw new OperatorError(
      `"from" must be before "to", by at most one day, or ${String(MOST_DAYS)} days if both are whole hours.`,
    );
  }
  const points = await figures.read({ from, to, stepMs: wholeHours ? HOUR_MS : MINUTE_MS });
  return html`<h1>Requests</h1>
<p>From ${timePart(from, time)} to ${timePart(to, time)} (${time.zone}). See <a href="/callers">Callers</a> for who made them, by day.</p>
<h2>Failed requests</h2>
${table<ErrorTotal>({
  label: 'Failed requests',
  rows: errorTotals(points),
  none: 'No failed requests.',
  columns: [
    { name: 'Reason', cell: ({ reason }) => reason },
    { name: 'Operation', cell: ({ operation }) => operation },
    { name: 'Binding', cell: ({ binding }) => binding },
    { name: 'Requests', cell: ({ requests }) => numberText(requests), kind: 'number' },
  ],
})}<p class="quiet">The log has one line per request, with this reason, the caller and, for server errors, the cause.</p>
<h2>All requests</h2>
${requestsTable(points)}`;
}

/** Returns the requests by operation and binding. */
export function requestsTable(points: readonly FigurePoint[]): Html {
  return table<RequestTotal>({
    label: 'Requests by operation and binding',
    rows: requestTotals(points),
    none: 'No requests.',
    columns: [
      { name: 'Operation', cell: ({ operation }) => operation },
      { name: 'Binding', cell: ({ binding }) => binding },
      { name: 'OK', cell: ({ ok }) => numberText(ok), kind: 'number' },
      { name: 'Client errors', cell: ({ clientErrors }) => numberText(clientErrors), kind: 'number' },
      { name: 'Server errors', cell: ({ serverErrors }) => numberText(serverErrors), kind: 'number' },
    ],
  });
}

type ErrorTotal = FigurePoint['errors'][number];

/** Sorted by number, largest first. */
function errorTotals(points: readonly FigurePoint[]): readonly ErrorTotal[] {
  const totals = new Map<string, ErrorTotal>();
  for (const error of points.flatMap(({ errors }) => errors)) {
    const key = `${error.operation} ${error.binding} ${error.reason}`;
    totals.set(key, { ...error, requests: error.requests + (totals.get(key)?.requests ?? 0) });
  }
  return [...totals.values()].sort((one, other) => other.requests - one.requests);
}

/** @throws OperatorError for an invalid time */
function timeOf(query: Fields, name: string, usual: number): number {
  const text = fieldText(query[name]);
  const time = text === undefined ? usual : Date.parse(text);
  if (Number.isNaN(time))
    throw new OperatorError(`"${name}" is not a valid time. Expected, for example, 2026-11-23T04:05:00Z.`);
  return time;
}

/** Sums the requests by operation and binding over all points, largest number first. */
function requestTotals(points: readonly FigurePoint[]): readonly RequestTotal[] {
  const totals = new Map<string, RequestTotal>();
  for (const { operation, binding, outcome, requests } of points.flatMap((point) => point.requests)) {
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
