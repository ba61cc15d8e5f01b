import type { FigurePoint } from '../../store';
import type { Plot, PlotRow } from './plot-part';
import { requestsAddress } from './requests-page';

interface Counted {
  readonly name: string;
  readonly value: number;
}

/** The plots of the overview. @param stepMs - how long each point is */
export function plotsOf(points: readonly FigurePoint[], stepMs: number): readonly Plot[] {
  const messagesAt = (at: number, more = ''): string =>
    `/messages?newer-than=${new Date(at).toISOString()}&older-than=${new Date(at + stepMs).toISOString()}${more}`;
  const requestsAt = (at: number): string => requestsAddress(at, stepMs);
  return [
    counts('messages', 'Messages by channel and end', 'messages', points, {
      of: ({ settled }) =>
        settled.map(({ channel, state, messages }) => ({ name: `${channel} ${state}`, value: messages })),
      link: messagesAt,
    }),
    times(points, messagesAt),
    counts('requests', 'Requests by operation', 'requests', points, {
      of: ({ requests }) => requests.map(({ operation, requests: value }) => ({ name: operation, value })),
      link: requestsAt,
    }),
    counts('bindings', 'Requests by binding', 'requests', points, {
      of: ({ requests }) => requests.map(({ binding, requests: value }) => ({ name: binding, value })),
      link: requestsAt,
    }),
    counts('errors', 'Errors', 'requests', points, {
      of: ({ requests }) =>
        requests
          .filter(({ outcome }) => outcome !== 'ok')
          .map(({ outcome, requests: value }) => ({ name: outcome.replace('_', ' '), value })),
      link: requestsAt,
    }),
  ];
}

interface Counting {
  readonly of: (point: FigurePoint) => readonly Counted[];
  readonly link: (at: number) => string;
}

/** What is counted, a column for each name that there is. */
function counts(
  id: string,
  title: string,
  unit: string,
  points: readonly FigurePoint[],
  { of, link }: Counting,
): Plot {
  const counted = points.map((point) => {
    const sums = new Map<string, number>();
    for (const { name, value } of of(point)) sums.set(name, (sums.get(name) ?? 0) + value);
    return sums;
  });
  const columns = [...new Set(counted.flatMap((sums) => [...sums.keys()]))].sort();
  const rows = points.map(({ at }, index): PlotRow => ({
    at,
    values: columns.map((name) => counted[index]?.get(name) ?? 0),
    link: link(at),
  }));
  return { id, title, unit, columns, rows };
}

/** How long messages took to be sent: nothing where none was. */
function times(points: readonly FigurePoint[], messagesAt: (at: number, more: string) => string): Plot {
  const channels = [...new Set(points.flatMap(({ sent }) => sent.map(({ channel }) => channel)))].sort();
  return {
    id: 'times',
    title: 'Time from acceptance to sent',
    unit: 'seconds',
    columns: channels.flatMap((channel) => [`${channel} median`, `${channel} 99th percentile`]),
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
