import type { ClaimedMessage, Store, Transaction, WaitingRequests } from '../../store';
import { type Deliver, LostLease } from '../workers/channel-worker';
import { EXPIRED, type Outcome } from '../outcome';
import type { Clock } from '../clock';
import type { NotBefore } from '../wording';

interface MarkRequestDependencies {
  readonly store: Pick<Store, 'write'>;
  /**
   * Time within which the same note for the same class is sent once, in milliseconds; 0 sends it each time.
   */
  readonly repeatMs: number;
  /** Maximum numbers of requests waiting for data: of each school, and of all unknown schools. */
  readonly maxWaiting: { readonly ofSchool: number; readonly ofUnknownSchools: number };
  readonly notBefore: NotBefore;
  readonly now: Clock;
  /** Called when there are push messages to send. */
  readonly wakePushes: () => void;
}

/**
 * Turns a SendMarkNotes request into push messages, one per device of the class, in the transaction that also
 * settles the request: a class gets its note completely, and once. Their outcomes decide about the request's
 * end.
 */
export function markRequestResolver(dependencies: MarkRequestDependencies): Deliver {
  const { store, wakePushes } = dependencies;
  return async (request, { settlementOf }) => {
    const { outcome, settled } = await store.write(async (transaction) => {
      const outcome = await resolve(transaction, request, dependencies);
      const settled = settlementOf(outcome);
      // Detected last, a lost lease still undoes everything.
      if (!(await transaction.outbox.settle(settled))) throw new LostLease();
      return { outcome, settled };
    });
    if (outcome.kind === 'resolved') wakePushes();
    return { outcome, settled };
  };
}

const UNKNOWN = {
  school: { code: 'school_unknown' },
  class: { code: 'class_unknown' },
  note: { code: 'note_unknown' },
} as const;

async function resolve(
  transaction: Transaction,
  request: ClaimedMessage,
  { repeatMs, maxWaiting, notBefore, now }: MarkRequestDependencies,
): Promise<Outcome> {
  const { school, recipient: classId, dedupeKey, createdAt, expiresAt, caller } = request;
  const named = { school, classId, note: request.payload?.['note'] ?? '' };
  if (dedupeKey !== null && repeatMs > 0) {
    await transaction.lock(`marks ${dedupeKey}`);
    if (await transaction.markRequests.resolvedSince(dedupeKey, createdAt - repeatMs)) {
      return { kind: 'repeated', reason: { code: 'repeated' } };
    }
  }
  const time = now();
  const missing = await transaction.markRequests.missing(named);
  if (missing !== undefined) {
    const reason = UNKNOWN[missing];
    if (time >= expiresAt) return { kind: 'refused', reason };
    // Requests for invented schools must not affect those for known ones.
    const { ofSchool, ofUnknownSchools } = maxWaiting;
    const bounds: readonly (readonly [WaitingRequests, most: number])[] = [
      [{ school }, ofSchool],
      ...(missing === 'school' ? [['of unknown schools', ofUnknownSchools] as const] : []),
    ];
    for (const [which, most] of bounds) {
      if ((await transaction.markRequests.waiting(which, most, time)) >= most)
        return { kind: 'refused', reason: { code: 'too_many_waiting', missing } };
    }
    return { kind: 'missing', reason };
  }
  if (time >= expiresAt) return EXPIRED;

  const devices = await transaction.markRequests.devicesOf(named);
  await transaction.messages.enqueueAll(
    devices.map((device) => ({
      channel: 'push',
      recipient: device,
      school,
      payload: { note: named.note },
      createdAt: time,
      notBefore: notBefore(school, time),
      expiresAt,
      dedupeKey: null,
      caller,
      requestId: request.id,
      trace: request.trace,
    })),
  );
  const students = await transaction.markRequests.studentsOf(named);
  await transaction.markRequests.resolved(request.id, students - devices.length, time);
  return { kind: 'resolved' };
}
