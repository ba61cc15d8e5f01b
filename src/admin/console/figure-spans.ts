const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How far back plots may go, and in which steps. */
export const SPANS = {
  '1h': { name: '1 hour', lengthMs: HOUR_MS, stepMs: MINUTE_MS },
  '24h': { name: '24 hours', lengthMs: DAY_MS, stepMs: 15 * MINUTE_MS },
  '30d': { name: '30 days', lengthMs: 30 * DAY_MS, stepMs: 6 * HOUR_MS },
} as const;
export type SpanName = keyof typeof SPANS;

/** The span that an address names; the shortest where it names none. */
export function spanOf(text: unknown): SpanName {
  return typeof text === 'string' && Object.hasOwn(SPANS, text) ? (text as SpanName) : '1h'; // It is one of the keys.
}
