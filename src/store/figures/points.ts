import type { MessageChannel, MessageState } from '../outbox';
import type { Counted } from './counted';
import { quantileMs, spreadOf } from './spread';
import type { FigureRow } from './statements';

/** What was counted in one step. Nothing is named that did not happen. */
export interface FigurePoint {
  /** When the step began, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** `none` where a request came to no operation, or by no binding. */
  readonly requests: readonly {
    readonly operation: string;
    readonly binding: string;
    /** `ok`, `client_error` or `server_error`. */
    readonly outcome: string;
    readonly requests: number;
  }[];
  /** Those of the requests that got no result, and why. */
  readonly errors: readonly {
    readonly operation: string;
    readonly binding: string;
    readonly reason: string;
    readonly requests: number;
  }[];
  /** Messages that came to their end. */
  readonly settled: readonly {
    readonly channel: MessageChannel;
    readonly state: MessageState;
    readonly messages: number;
  }[];
  /** Of messages that were sent: the time from acceptance on that half of them took at most, and 99 of 100. */
  readonly sent: readonly {
    readonly channel: MessageChannel;
    readonly messages: number;
    readonly medianMs: number;
    readonly p99Ms: number;
  }[];
}

/** @param rows - those of a time, a figure and a channel stand together */
export function pointsOf(times: readonly number[], rows: readonly FigureRow[]): readonly FigurePoint[] {
  const byTime = grouped(rows, ([at]) => at);
  return times.map((at) => {
    const byFigure = grouped(byTime.get(at) ?? [], ([, figure]) => figure);
    const of = (figure: Counted['figure']): readonly FigureRow[] => byFigure.get(figure) ?? [];
    return {
      at,
      requests: of('requests').map(([, , operation, binding, outcome, requests]) => ({
        ...{ operation, binding, outcome, requests },
      })),
      errors: of('errors').map(([, , operation, binding, reason, requests]) => ({
        ...{ operation, binding, reason, requests },
      })),
      settled: of('settled').map(([, , channel, state, , messages]) => ({
        // Only this program writes the labels, from these types.
        channel: channel as MessageChannel,
        state: state as MessageState,
        messages,
      })),
      sent: [...grouped(of('sent'), ([, , channel]) => channel)].map(([channel, ofChannel]) =>
        // As above.
        sentOf(channel as MessageChannel, ofChannel),
      ),
    };
  });
}

function sentOf(channel: MessageChannel, rows: readonly FigureRow[]): FigurePoint['sent'][number] {
  const spread = spreadOf(rows.map(([, , , bound, , count]) => [bound, count]));
  return {
    channel,
    messages: rows.reduce((sum, [, , , , , count]) => sum + count, 0),
    medianMs: quantileMs(spread, 0.5),
    p99Ms: quantileMs(spread, 0.99),
  };
}

function grouped<Key>(
  rows: readonly FigureRow[],
  keyOf: (row: FigureRow) => Key,
): ReadonlyMap<Key, readonly FigureRow[]> {
  const groups = new Map<Key, FigureRow[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
