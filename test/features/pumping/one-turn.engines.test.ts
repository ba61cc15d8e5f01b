import fc from 'fast-check';

import { type AcceptCode, codeAcceptance } from '../../../src/delivery/policy/accept-code';
import { CodeTraffic } from '../../../src/features/pumping/code-traffic';
import { PumpingGuard } from '../../../src/features/pumping/pumping-guard';
import type { Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const MINUTE = 60_000;
const START = Date.parse('2026-03-02T10:00:00Z');
const LIMITS = { repeatMs: MINUTE, coolDownMs: 0, perTenMinutes: 3, perDay: 4, perDayOverall: 0 };
const LEASE = { owner: 'w', leaseUntil: START + 10 * MINUTE } as const;

type Request =
  | {
      readonly kind: 'code';
      readonly phone: string;
      readonly code: string;
      readonly caller: string | undefined;
    }
  | { readonly kind: 'note'; readonly note: string }
  | {
      readonly kind: 'settle';
      readonly at: number;
      readonly owner: string;
      readonly state: 'sent' | 'failed';
    }
  | { readonly kind: 'token'; readonly device: string }
  | { readonly kind: 'students'; readonly school: string };

/** Few of each, so that they meet; and in 0555 111 22 and +90 555 111 22 two spellings of one phone. */
const REQUEST: fc.Arbitrary<Request> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('code' as const),
      phone: fc.constantFrom(
        '+905551112233',
        '05551112233',
        '+905551112234',
        '+905559998877',
        '+447400123456',
      ),
      code: fc.constantFrom('1', '2', '3'),
      caller: fc.constantFrom(undefined, 'portal'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('note' as const), note: fc.constantFrom('N1', `N"'{},\\`) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      at: fc.integer({ min: 0, max: 3 }),
      owner: fc.constantFrom('w', 'w', 'somebody else'),
      state: fc.constantFrom('sent' as const, 'failed' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('token' as const), device: fc.constantFrom('D1', 'D2', '') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('students' as const),
      school: fc.constantFrom('http://a.example', ''),
    }),
  },
);

describe.each(ENGINES)('calls made in one turn on %s', (engine) => {
  const together = useDatabase(engine, { per: 'block' });
  const alone = useDatabase(engine, { per: 'block' });
  let stores: readonly [Store, Store];
  beforeAll(async () => {
    stores = [await together.open(), await alone.open()];
  });

  /** A store as a service has it, with what it did before. */
  async function serviceOn(store: Store, enforces: boolean, round: number) {
    const now = START + round * 2 * 24 * 60 * MINUTE;
    const guard = new PumpingGuard(store.repository(CodeTraffic), ['TR'], enforces);
    const accept = codeAcceptance(
      store,
      { limits: LIMITS, countries: undefined, guard: enforces ? guard : undefined },
      () => undefined,
    );
    const made = { school: `http://${String(round)}.example`, createdAt: now, expiresAt: now + 5 * MINUTE };
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const payload = { note: String(at) };
      ids.push(
        await store.messages.enqueue({
          channel: 'push',
          recipient: `D${String(at)}`,
          payload,
          dedupeKey: null,
          ...made,
        }),
      );
    }
    await store.outbox.claim({ ...LEASE, channel: 'push', limit: 4, now });
    return { ask: (request: Request) => ask(store, accept, { ids, now, ...made }, request), now };
  }

  it('return the same results as calls made one after the other', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(REQUEST, { minLength: 1, maxLength: 24 }),
        fc.boolean(),
        async (given, enforces) => {
          // No worker settles a message twice.
          const requests = given.filter(
            (request, at) =>
              request.kind !== 'settle' ||
              at === given.findIndex((other) => other.kind === 'settle' && other.at === request.at),
          );
          round += 1;
          const [one, other] = await Promise.all(stores.map((store) => serviceOn(store, enforces, round)));
          if (one === undefined || other === undefined) throw new Error('There are two stores');
          const answers = await Promise.all(requests.map((request) => one.ask(request)));
          const expected = [];
          for (const request of requests) expected.push(await other.ask(request));
          expect(answers).toEqual(expected);
          const [stored, wanted] = await Promise.all(stores.map((store) => messagesSince(store, one.now)));
          expect(stored).toEqual(wanted);
        },
      ),
      { numRuns: 60, seed: 20260302 },
    );
  });
});

interface Made {
  readonly ids: readonly string[];
  readonly now: number;
  readonly school: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Asks, and returns what comes back, without the ids of messages. */
async function ask(store: Store, accept: AcceptCode, made: Made, request: Request): Promise<unknown> {
  const { ids, now, school, createdAt, expiresAt } = made;
  switch (request.kind) {
    case 'code': {
      const { code, phone, caller } = request;
      const { kind, ...decision } = await accept({ code, phone, caller, createdAt, expiresAt });
      return { kind, ...decision, messageId: undefined };
    }
    case 'note': {
      const { note } = request;
      const message = { channel: 'mark', recipient: '1A', payload: { note }, note, dedupeKey: note } as const;
      await store.messages.enqueue({ ...message, school, createdAt, expiresAt });
      return 'stored';
    }
    case 'settle': {
      const { at, owner, state } = request;
      return store.outbox.settle({
        ...{
          id: ids[at] ?? '',
          owner,
          leaseUntil: LEASE.leaseUntil,
          state,
          nextAttemptAt: now,
          attempted: true,
        },
        ...{
          erase: state === 'sent',
          providerId: null,
          reason: state === 'sent' ? null : { code: 'service_failed' },
          now,
        },
      });
    }
    case 'token':
      return store.devices.tokenOf(request.device);
    case 'students':
      return store.students.ofSchool(request.school, 'Y');
  }
}

async function messagesSince(store: Store, since: number): Promise<readonly unknown[]> {
  const messages = await listMessages(store, 200);
  return messages
    .filter(({ createdAt }) => createdAt >= since)
    .map((message) => JSON.stringify({ ...message, id: undefined }))
    .toSorted();
}
