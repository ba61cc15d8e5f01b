import type { OverviewPart } from '../../admin/console/console-part';
import { requestsTable } from '../../admin/console/requests-page';
import type { Text, Words } from '../../admin/texts/words';
import { html, type Html, NOTHING } from '../../support/html';
import type { StatsPoint, Store } from '../../store';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations';
import { BAD_STATES, type Plot, type PlotColumn, plotPart, type PlotRow } from './plots';

/**
 * Time ranges, by their names in addresses. `updates` is the number of the page's live updates for each update of the
 * plots: numbers change every ten seconds, long ranges less.
 */
const SPANS = {
  '1h': { name: 'last hour', lengthMs: HOUR_MS, stepMs: MINUTE_MS, updates: 2 },
  '24h': { name: 'last 24 hours', lengthMs: DAY_MS, stepMs: HOUR_MS, updates: 6 },
  '30d': { name: 'last 30 days', lengthMs: 30 * DAY_MS, stepMs: 6 * HOUR_MS, updates: 6 },
} as const satisfies Readonly<
  Record<string, { name: Text; lengthMs: number; stepMs: number; updates: number }>
>;
type SpanName = keyof typeof SPANS;

/** Returns the activity of the service as a part of the overview: plots, and a table of requests. */
export function activityPart(store: Store, liveEveryMs: number, now: () => number): OverviewPart {
  return {
    id: 'stats',
    title: 'Activity',
    head: ({ span }, words) => spanLinks(readSpan(span), words),
    content: ({ span }, words) => statsPart(store, readSpan(span), words, now()),
    liveQuery: ({ span }) => ({ span: readSpan(span) }),
    everyMs: ({ span }) => liveEveryMs * SPANS[readSpan(span)].updates,
  };
}

/** Returns the range in an address, or the shortest one. */
function readSpan(text: unknown): SpanName {
  return typeof text === 'string' && Object.hasOwn(SPANS, text) ? (text as SpanName) : '1h'; // It is one of the keys.
}

interface PlotValue extends PlotColumn {
  readonly value: number;
}

/** @param stepMs - length of a step */
function makePlots(points: readonly StatsPoint[], stepMs: number, words: Words): readonly Plot[] {
  const messagesAt = (at: number, more = ''): string =>
    `/messages?newer-than=${new Date(at).toISOString()}&older-than=${new Date(at + stepMs).toISOString()}${more}`;
  const requestsAt = (at: number): string =>
    `/requests?from=${new Date(at).toISOString()}&to=${new Date(at + stepMs).toISOString()}`;
  return [
    counts('messages', words.t('Messages by result'), words.t('messages'), points, {
      of: ({ settled }) =>
        settled.map(({ channel, state, messages }) => ({
          name: `${channel} ${words.said(state)}`,
          isBad: BAD_STATES.includes(state),
          value: messages,
        })),
      link: messagesAt,
    }),
    times(points, messagesAt, words),
    counts('requests', words.t('Requests by operation'), words.t('requests'), points, {
      of: ({ requests }) => requests.map(({ operation, requests: value }) => ({ name: operation, value })),
      link: requestsAt,
    }),
    counts('bindings', words.t('Requests by binding'), words.t('requests'), points, {
      of: ({ requests }) => requests.map(({ binding, requests: value }) => ({ name: binding, value })),
      link: requestsAt,
    }),
    counts('errors', words.t('Errors'), words.t('requests'), points, {
      of: ({ requests }) =>
        requests
          .filter(({ outcome }) => outcome !== 'ok')
          .map(({ outcome, requests: value }) => ({
            name: words.said(outcome.replace('_', ' ')),
            isBad: outcome === 'server_error',
            value,
          })),
      link: requestsAt,
    }),
  ];
}

interface Counting {
  readonly of: (point: StatsPoint) => readonly PlotValue[];
  readonly link: (at: number) => string;
}

function counts(
  id: string,
  title: string,
  unit: string,
  points: readonly StatsPoint[],
  { of, link }: Counting,
): Plot {
  const counted = points.map((point) => {
    const sums = new Map<string, number>();
    for (const { name, value } of of(point)) sums.set(name, (sums.get(name) ?? 0) + value);
    return sums;
  });
  const isBad = new Map(points.flatMap(of).map((each) => [each.name, each.isBad ?? false]));
  const columns = [...isBad.keys()].sort().map((name) => ({ name, isBad: isBad.get(name) ?? false }));
  const rows = points.map(({ at }, index): PlotRow => ({
    at,
    values: columns.map(({ name }) => counted[index]?.get(name) ?? 0),
    link: link(at),
  }));
  return { id, title, unit, columns, rows, drawing: 'bars' };
}

/** Returns a plot of the times until sending, without values for steps in which nothing was sent. */
function times(
  points: readonly StatsPoint[],
  messagesAt: (at: number, more: string) => string,
  words: Words,
): Plot {
  const channels = [...new Set(points.flatMap(({ sent }) => sent.map(({ channel }) => channel)))].sort();
  return {
    id: 'times',
    title: words.t('Time until sent'),
    unit: words.t('seconds'),
    drawing: 'points',
    columns: channels.flatMap((channel) => [
      { name: words.t('{channel} median', { channel }) },
      { name: words.t('{channel} 99th percentile', { channel }) },
    ]),
    rows: points.map(({ at, sent }) => ({
      at,
      values: channels.flatMap((channel) => {
        const found = sent.find((each) => each.channel === channel);
        return [found?.medianMs, found?.p99Ms].map((value) =>
          value === undefined ? undefined : value / 1000,
        );
      }),
      link: messagesAt(at, '&state=sent'),
    })),
  };
}

/** Returns links to the time ranges, with the current one marked. */
function spanLinks(span: SpanName, words: Words): Html {
  const links = Object.entries(SPANS).map(
    ([key, { name }]) =>
      html`<a href="/?span=${key}"${key === span ? html` aria-current="true"` : NOTHING}>${words.t(name)}</a>`,
  );
  return html`<nav class="spans" aria-label="${words.t('Time range')}">${links}</nav>\n`;
}

/** Returns the stats up to now: plots, and a table of requests. */
async function statsPart({ stats }: Store, span: SpanName, words: Words, now: number): Promise<Html> {
  const { lengthMs, stepMs, name } = SPANS[span];
  const points: readonly StatsPoint[] = await stats.read({ from: now - lengthMs, to: now, stepMs });
  const plots = makePlots(points, stepMs, words).filter(({ columns }) => columns.length > 0);
  if (plots.length === 0) return html`<p class="quiet">${words.t('No data in this period.')}</p>\n`;
  return html`<div class="cards plots">
${plots.map((plot) => plotPart(plot, words))}</div>
<h3>${words.t('Requests by operation and binding')} (${words.t(name)})</h3>
${requestsTable(
  points.flatMap(({ requests }) => requests),
  words,
)}`;
}
