import type { OverviewPart } from '../../admin/console/console-part';
import type { Fields } from '../../admin/console/message-address';
import type { Text, Words } from '../../admin/texts/words';
import { html, type Html, NOTHING } from '../../support/html';
import type { StatsPoint, Store } from '../../store';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations';
import { BAD_STATES, type Plot, type PlotColumn, plotPart, type PlotRow } from './plots';

/**
 * Time ranges, by their names in addresses. `updates` is the number of the page's live updates for each
 * update of the plots: numbers change every ten seconds, long ranges less.
 */
const SPANS = {
  '1h': { name: 'last hour', lengthMs: HOUR_MS, stepMs: MINUTE_MS, updates: 2 },
  '24h': { name: 'last 24 hours', lengthMs: DAY_MS, stepMs: HOUR_MS, updates: 6 },
  '30d': { name: 'last 30 days', lengthMs: 30 * DAY_MS, stepMs: 6 * HOUR_MS, updates: 6 },
} as const satisfies Readonly<
  Record<string, { name: Text; lengthMs: number; stepMs: number; updates: number }>
>;
type SpanName = keyof typeof SPANS;

/** Plots by their names in addresses; one is shown at a time. */
const VIEWS = {
  messages: 'Messages by result',
  times: 'Time until sent',
  requests: 'Requests by operation',
  bindings: 'Requests by binding',
  errors: 'Errors',
} as const satisfies Readonly<Record<string, Text>>;
type ViewName = keyof typeof VIEWS;

/** Describes what an address asks for. */
interface Shown {
  readonly span: SpanName;
  readonly view: ViewName;
}

/**
 * Returns the activity of the service as a part of the overview: one of the plots, for one of the time
 * ranges.
 */
export function activityPart(store: Store, liveEveryMs: number, now: () => number): OverviewPart {
  return {
    id: 'stats',
    title: 'Activity',
    head: (query, words) => switches(readShown(query), words),
    content: (query, words) => statsPart(store, readShown(query), words, now()),
    liveQuery: (query) => ({ ...readShown(query) }),
    everyMs: (query) => liveEveryMs * SPANS[readShown(query).span].updates,
  };
}

/** Returns range and plot in an address; default: the shortest range, and messages. */
function readShown({ span, view }: Fields): Shown {
  // They are keys of the tables.
  return {
    span: typeof span === 'string' && Object.hasOwn(SPANS, span) ? (span as SpanName) : '1h',
    view: typeof view === 'string' && Object.hasOwn(VIEWS, view) ? (view as ViewName) : 'messages',
  };
}

/** Texts of outcomes that are errors. */
const OUTCOMES: Readonly<Record<string, Text>> = {
  client_error: 'client error',
  server_error: 'server error',
};

interface PlotValue extends PlotColumn {
  readonly value: number;
}

/** @param stepMs - length of a step */
function makePlot(view: ViewName, points: readonly StatsPoint[], stepMs: number, words: Words): Plot {
  const messagesAt = (at: number, more = ''): string =>
    `/messages?newer-than=${new Date(at).toISOString()}&older-than=${new Date(at + stepMs).toISOString()}${more}`;
  const requestsAt = (at: number): string =>
    `/requests?from=${new Date(at).toISOString()}&to=${new Date(at + stepMs).toISOString()}`;
  const title = words.t(VIEWS[view]);
  const requests = { title, unit: words.t('requests'), link: requestsAt };
  switch (view) {
    case 'messages':
      return counts(view, points, {
        ...{ title, unit: words.t('messages'), link: messagesAt },
        of: ({ settled }) =>
          settled.map(({ channel, state, messages }) => ({
            name: `${words.said(channel)} ${words.said(state)}`,
            isBad: BAD_STATES.includes(state),
            value: messages,
          })),
      });
    case 'times':
      return times(points, messagesAt, words);
    case 'requests':
      return counts(view, points, {
        ...requests,
        of: (point) => point.requests.map(({ operation, requests: value }) => ({ name: operation, value })),
      });
    case 'bindings':
      return counts(view, points, {
        ...requests,
        of: (point) => point.requests.map(({ binding, requests: value }) => ({ name: binding, value })),
      });
    case 'errors':
      return counts(view, points, {
        ...requests,
        of: (point) =>
          point.requests
            .filter(({ outcome }) => outcome !== 'ok')
            .map(({ outcome, requests: value }) => ({
              name: words.said(OUTCOMES[outcome] ?? { line: outcome }),
              isBad: outcome === 'server_error',
              value,
            })),
      });
  }
}

interface Counting {
  readonly title: string;
  readonly unit: string;
  readonly of: (point: StatsPoint) => readonly PlotValue[];
  readonly link: (at: number) => string;
}

function counts(id: ViewName, points: readonly StatsPoint[], { title, unit, of, link }: Counting): Plot {
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
    columns: channels
      .map((channel) => words.said(channel))
      .flatMap((channel) => [
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

/** Returns links to the plots and time ranges, with the current ones marked. */
function switches({ span, view }: Shown, words: Words): Html {
  const link = (shown: Shown, name: Text, isOn: boolean): Html => {
    const query = new URLSearchParams({ ...shown }).toString();
    return html`<a href="/?${query}"${isOn ? html` aria-current="true"` : NOTHING}>${words.t(name)}</a>`;
  };
  const views = Object.entries(VIEWS).map(([key, name]) =>
    link({ span, view: key as ViewName }, name, key === view),
  );
  const spans = Object.entries(SPANS).map(([key, { name }]) =>
    link({ view, span: key as SpanName }, name, key === span),
  );
  return html`<nav class="chips" aria-label="${words.t('Plot')}">${views}</nav>
<nav class="spans" aria-label="${words.t('Time range')}">${spans}</nav>
`;
}

async function statsPart({ stats }: Store, { span, view }: Shown, words: Words, now: number): Promise<Html> {
  const { lengthMs, stepMs } = SPANS[span];
  const points: readonly StatsPoint[] = await stats.read({ from: now - lengthMs, to: now, stepMs });
  return plotPart(makePlot(view, points, stepMs, words), words);
}
