import { html, type Html, NOTHING } from '../../asmx';
import type { StatsPoint, Store } from '../../store';
import { timePart } from './console-page';
import { requestsTable } from './requests-page';
import type { Text, Words } from '../texts/words';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations';

/** A plot with its table: the script draws the table's numbers, and people without the plot read them. */
export interface Plot {
  readonly id: string;
  readonly title: string;
  /** Unit of the numbers: `messages`. */
  readonly unit: string;
  readonly columns: readonly PlotColumn[];
  readonly rows: readonly PlotRow[];
  readonly drawing: 'bars' | 'points';
}

interface PlotColumn {
  readonly name: string;
  /** True for failures, which are red. */
  readonly isBad?: boolean;
}

interface PlotRow {
  /** Start of the row's time, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** Value of each column; undefined for none. */
  readonly values: readonly (number | undefined)[];
  /** Page with details of the row. */
  readonly link?: string;
}

/** Colours of the style sheet. */
const CALM_COLORS = [1, 3, 5, 6, 8];
const BAD_COLORS = [2, 4, 7];

function assignColors(columns: readonly PlotColumn[]): readonly number[] {
  const taken = { good: 0, bad: 0 };
  return columns.map(({ isBad = false }) => {
    const colors = isBad ? BAD_COLORS : CALM_COLORS;
    return colors[taken[isBad ? 'bad' : 'good']++ % colors.length] ?? 1;
  });
}

/** Returns the plot, with its table collapsed below. */
export function plotPart({ id, title, unit, columns, rows, drawing }: Plot, words: Words): Html {
  if (columns.length === 0) return html`<p class="quiet">${words.t('No data in this period.')}</p>\n`;
  const colors = assignColors(columns);
  const head = columns.map(
    ({ name }, at) => html`<th scope="col" class="number" data-color="${String(colors[at])}">${name}</th>`,
  );
  const body = rows.map(({ at, values, link }) => {
    const when = timePart(at, words);
    const cells = values.map(
      (value) =>
        html`<td class="number" data-value="${value === undefined ? '' : String(value)}">${value === undefined ? '–' : words.number(value)}</td>`,
    );
    return html`<tr${link === undefined ? NOTHING : html` data-href="${link}"`}><th scope="row">${link === undefined ? when : html`<a href="${link}">${when}</a>`}</th>${cells}</tr>\n`;
  });
  return html`<section class="card plot" aria-labelledby="${id}-title"><h3 id="${id}-title">${title} <span class="quiet">(${unit})</span></h3>
<figure data-plot="${id}" data-drawing="${drawing}"><div class="drawing" aria-hidden="true"></div>
<details data-name="${id}"><summary>${words.t('{title} as a table', { title })}</summary>
<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table class="list" id="${id}" aria-label="${title}">
<thead><tr><th scope="col">${words.t('Time')}</th>${head}</tr></thead>
<tbody>
${body}</tbody>
</table></div>
</details></figure>
</section>
`;
}

const SPANS = {
  '1h': { name: 'last hour', lengthMs: HOUR_MS, stepMs: MINUTE_MS },
  '24h': { name: 'last 24 hours', lengthMs: DAY_MS, stepMs: HOUR_MS },
  '30d': { name: 'last 30 days', lengthMs: 30 * DAY_MS, stepMs: 6 * HOUR_MS },
} as const satisfies Readonly<Record<string, { name: Text; lengthMs: number; stepMs: number }>>;
type SpanName = keyof typeof SPANS;

/** Returns the range in an address, or the shortest one. */
export function readSpan(text: unknown): SpanName {
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

/** States of messages that count as failures. */
export const BAD_STATES: readonly string[] = ['failed', 'expired'];

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
export function spanLinks(span: SpanName, words: Words): Html {
  const links = Object.entries(SPANS).map(
    ([key, { name }]) =>
      html`<a href="/?span=${key}"${key === span ? html` aria-current="true"` : NOTHING}>${words.t(name)}</a>`,
  );
  return html`<nav class="spans" aria-label="${words.t('Time range')}">${links}</nav>\n`;
}

/** Returns the stats up to now: plots, and a table of requests. */
export async function statsPart({ stats }: Store, span: SpanName, words: Words, now: number): Promise<Html> {
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
