import { FEATURE_ACTION_LOG } from '../../src/features/feature';
import type { Store } from '../../src/store';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Longer than any plot. */
const DAYS = 40;
const OPERATIONS = ['AuthCode', 'SendMarkNotes', 'GetTokenDevice', 'GetStudentSchool'] as const;
const BINDINGS = ['soap11', 'soap12', 'get', 'post'] as const;

type Added = Parameters<Store['stats']['add']>[0][number];

/** Stores what is counted in 40 days by the hour, and in the last two of them by the minute, up to a moment. */
export async function addStats({ stats }: Store, now: number): Promise<void> {
  for (let day = DAYS; day > 2; day -= 1) await stats.add(stepsOf(now - day * DAY_MS, HOUR_MS), [], now);
  for (let hour = 48; hour > 0; hour -= 1) {
    await stats.add(stepsOf(now - hour * HOUR_MS, MINUTE_MS, HOUR_MS), [], now);
  }
}

const AUDIT_ENTRIES = 20_000;
const AT_ONCE = 1000;

/** Adds what twenty users did within a year. */
export async function addAudit(store: Store, now: number): Promise<void> {
  for (let entry = 0; entry < AUDIT_ENTRIES; entry += AT_ONCE) {
    await store.write(async (transaction) => {
      const inOne: Pick<Store, 'write'> = { write: (work) => work(transaction) };
      for (let next = entry; next < entry + AT_ONCE; next += 1) {
        const at = now - Math.round((365 * DAY_MS * (AUDIT_ENTRIES - next)) / AUDIT_ENTRIES);
        const who = `user-${String(next % 20)}`;
        await FEATURE_ACTION_LOG?.record(inOne, { at, who, action: 'retry', detail: { messages: 3 } });
      }
    });
  }
}

/** Counts of each step of a length of time. */
function stepsOf(from: number, stepMs: number, lengthMs = DAY_MS): readonly Added[] {
  return Array.from({ length: lengthMs / stepMs }, (_, step) => countsAt(from + step * stepMs)).flat();
}

function countsAt(at: number): readonly Added[] {
  return [
    ...OPERATIONS.flatMap((operation) =>
      BINDINGS.map((binding): Added => ({
        at,
        figure: 'requests',
        labels: [operation, binding, 'ok'],
        count: 7,
      })),
    ),
    ...OPERATIONS.map((operation): Added => ({
      ...{ at, figure: 'errors', labels: [operation, 'get', 'Missing parameter: id.'], count: 2 },
    })),
    ...(['sms', 'push'] as const).flatMap((channel): readonly Added[] => [
      { at, figure: 'settled', labels: [channel, 'sent'], count: 5 },
      { at, figure: 'settled', labels: [channel, 'failed'], count: 1 },
      { at, figure: 'sent', labels: [channel, '0.5'], count: 4 },
      { at, figure: 'sent', labels: [channel, '5'], count: 1 },
    ]),
  ];
}
