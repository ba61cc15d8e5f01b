import type * as Limits from '../../src/delivery/policy/code-limits';
import type * as ChannelWorkers from '../../src/delivery/workers/channel-worker';
import type * as Retry from '../../src/delivery/workers/retry';
import type * as Marks from '../../src/delivery/senders/resolve-mark-requests';
import type * as Providers from '../../src/delivery/senders/provider';
import type * as Routes from '../../src/delivery/senders/sms-routes';
import type * as Push from '../../src/delivery/senders/push-sender';
import type * as Sms from '../../src/delivery/senders/sms-sender';
import type * as Locks from '../../src/store/engine/engine';
import type * as Workers from '../../src/delivery/worker';
import type { HotStatement, SqlValue } from '../../src/store/engine/hot-statement';
import type { StatementTwin } from './host-engine';
import type { NotBefore } from '../../src/delivery/wording';
import { FEATURES } from '../../src/features';
import { HAS_NIGHTS } from './school';
import { type Finding, Simulation } from './simulate';

const MAX_SEEDS = 2000;

/**
 * Each is a small mistake in one function or statement, with the seed that found it last and what the simulation is to
 * say.
 */
const BUGS = {
  'an attempt begins on a lease that is about to expire': [575, /reached the provider twice/],
  'two nodes resolve one request': [20, /a request that another has resolved/],
  'a lost lease is settled': [20, /settled by a worker that had lost it/],
  'a retry is made at night': [123, /sent at night/],
  'the morning of one school is that of another': [6, /another time than its school's morning|at night/],
  'a short Retry-After replaces a longer pause': [25, /is tried again after/],
  'waiting uses up attempts': [33, /lost attempts by waiting|is tried again after/],
  'an SMS that repeats an earlier one is not counted': [10, /a limit on codes is exceeded/],
  'a silent provider is waited for forever': [10, /does not come to an end|reached the provider twice/],
  'a process never stops': [3, /does not come to an end: the stop of process/],
  'a claim on PostgreSQL does not pass over locked rows': [1, /claimed while another worker has it/],
  'codes for one phone are accepted in parallel': [
    20,
    /a limit on codes is exceeded|within the time for rep/,
  ],
  'a code is sent whatever its age': [32, /sent past its life/],
  'an SMS that may have been sent is sent again': [1, /reached the provider twice/],
  'leases are taken away before they expire': [5, /taken from the worker that has it/],
  'a request ends while one of its messages waits': [1, /ends before its messages/],
  'requests of the same note are resolved at once': [89, /goes to a class twice/],
  'an SMS that may have been sent goes to the next gateway': [638, /another gateway may have sent it/],
  'a note is repeated before its time is over': [1, /goes to a class twice/],
  'early receipts are never recorded': [1, /does not come to an end: .*the receipt of/],
  'a receipt is dropped whose SMS is recorded as sent meanwhile': [31, /the receipt of|later receipt/],
  'a receipt passes an early one of its SMS': [8, /a later receipt than its first/],
  'a later receipt replaces the first': [3, /has a receipt already/],
  'a receipt goes to the SMS of another gateway': [58, /the receipt of another message/],
} as const satisfies Record<string, readonly [seed: number, said: RegExp]>;
type Bug = keyof typeof BUGS;

/** Need a feature that has notes wait for the morning. */
const AT_NIGHT: readonly Bug[] = ['a retry is made at night', 'the morning of one school is that of another'];
/** Need a feature that takes receipts. */
const OF_RECEIPTS: readonly Bug[] = [
  'early receipts are never recorded',
  'a receipt is dropped whose SMS is recorded as sent meanwhile',
  'a receipt passes an early one of its SMS',
  'a later receipt replaces the first',
  'a receipt goes to the SMS of another gateway',
];
const IMPOSSIBLE: readonly Bug[] = [
  ...(HAS_NIGHTS ? [] : AT_NIGHT),
  ...('receipts' in FEATURES ? [] : OF_RECEIPTS),
];

let mockPlanted: Bug | undefined;
/** The last night of any school. */
let mockNight = { begin: 0, end: 0 };
/** Returns what another school's night has been found to be. */
const mockNotBefore =
  (notBefore: NotBefore): NotBefore =>
  (school, now) => {
    if (mockPlanted !== 'the morning of one school is that of another') return notBefore(school, now);
    if (now >= mockNight.begin && now < mockNight.end) return mockNight.end;
    const end = notBefore(school, now);
    if (end > now) mockNight = { begin: now, end };
    return end;
  };

jest.mock('../../src/delivery/workers/channel-worker', () => {
  const actual = jest.requireActual<typeof ChannelWorkers>('../../src/delivery/workers/channel-worker');
  return {
    ...actual,
    ChannelWorker: class extends actual.ChannelWorker {
      constructor(options: ChannelWorkers.ChannelWorkerOptions) {
        const isPlanted = mockPlanted === 'an attempt begins on a lease that is about to expire';
        super(isPlanted ? { ...options, attemptMs: 0 } : options);
      }
    },
  };
});
jest.mock('../../src/delivery/senders/sms-routes', () => {
  const actual = jest.requireActual<typeof Routes>('../../src/delivery/senders/sms-routes');
  return {
    ...actual,
    SmsRoutes: class extends actual.SmsRoutes {
      override send(...[message, claimed, stop]: Parameters<Routes.SmsRoutes['send']>) {
        const isPlanted = mockPlanted === 'an SMS that may have been sent goes to the next gateway';
        const unpinned = { ...claimed, gateway: claimed.gateway?.replace('!', '') ?? null, abandoned: 0 };
        return super.send(message, isPlanted ? unpinned : claimed, stop);
      }
    },
  };
});
jest.mock('../../src/delivery/worker', () => {
  const actual = jest.requireActual<typeof Workers>('../../src/delivery/worker');
  return {
    ...actual,
    Worker: class extends actual.Worker {
      constructor(options: ConstructorParameters<typeof Workers.Worker>[0]) {
        const isPlanted = mockPlanted === 'early receipts are never recorded';
        super(isPlanted ? { ...options, onInterval: () => Promise.resolve() } : options);
      }

      override async stop(withinMs: number): Promise<void> {
        await super.stop(withinMs);
        if (mockPlanted === 'a process never stops') await new Promise(() => undefined);
      }
    },
  };
});
jest.mock('../../src/delivery/senders/resolve-mark-requests', () => {
  const actual = jest.requireActual<typeof Marks>('../../src/delivery/senders/resolve-mark-requests');
  return {
    ...actual,
    markRequestResolver: (...[given]: Parameters<typeof Marks.markRequestResolver>) => {
      const store: typeof given.store = {
        write: (work) =>
          given.store.write((transaction) => {
            if (mockPlanted === 'two nodes resolve one request') {
              const { outbox } = transaction;
              const settle = outbox.settle.bind(outbox);
              outbox.settle = async (settlement) => (await settle(settlement)) || true;
            }
            return work(transaction);
          }),
      };
      return actual.markRequestResolver({ ...given, store, notBefore: mockNotBefore(given.notBefore) });
    },
  };
});
jest.mock('../../src/delivery/senders/push-sender', () => {
  const actual = jest.requireActual<typeof Push>('../../src/delivery/senders/push-sender');
  return {
    pushSender: (...[given]: Parameters<typeof Push.pushSender>) =>
      actual.pushSender({
        ...given,
        notBefore: (school, now) =>
          mockPlanted === 'a retry is made at night' ? now : mockNotBefore(given.notBefore)(school, now),
      }),
  };
});
jest.mock('../../src/delivery/senders/sms-sender', () => {
  const actual = jest.requireActual<typeof Sms>('../../src/delivery/senders/sms-sender');
  return {
    smsSender: (...[provider, wording, now]: Parameters<typeof Sms.smsSender>) =>
      actual.smsSender(provider, wording, () =>
        mockPlanted === 'a code is sent whatever its age' ? 0 : now(),
      ),
  };
});
jest.mock('../../src/delivery/senders/provider', () => {
  const actual = jest.requireActual<typeof Providers>('../../src/delivery/senders/provider');
  return {
    ...actual,
    Provider: class extends actual.Provider<never> {
      constructor(...[transport, limits, ...rest]: ConstructorParameters<typeof Providers.Provider<never>>) {
        const isPlanted = mockPlanted === 'a silent provider is waited for forever';
        super(transport, isPlanted ? { ...limits, timeoutMs: 2 ** 40 } : limits, ...rest);
      }
    },
  };
});
jest.mock('../../src/delivery/workers/retry', () => {
  const actual = jest.requireActual<typeof Retry>('../../src/delivery/workers/retry');
  const nextState: typeof Retry.nextState = (outcome, message, rules, now, random) => {
    const planted =
      mockPlanted === 'an SMS that may have been sent is sent again' ? { ...rules, repeatable: true } : rules;
    const next = actual.nextState(outcome, message, planted, now, random);
    const isAsked =
      'retryAfterMs' in outcome && outcome.retryAfterMs !== undefined && next.state === 'queued';
    if (isAsked && mockPlanted === 'a short Retry-After replaces a longer pause') {
      return { ...next, nextAttemptAt: now + (outcome.retryAfterMs ?? 0) };
    }
    return mockPlanted === 'waiting uses up attempts' ? { ...next, attempted: true } : next;
  };
  return { ...actual, nextState };
});
jest.mock('../../src/delivery/policy/code-limits', () => {
  const actual = jest.requireActual<typeof Limits>('../../src/delivery/policy/code-limits');
  const applyCodeLimits: typeof Limits.applyCodeLimits = (limits, code, sent, now) => {
    const decision = actual.applyCodeLimits(limits, code, sent, now);
    if (mockPlanted !== 'an SMS that repeats an earlier one is not counted') return decision;
    if (decision.kind === 'repeated') return decision;
    const different = sent.filter(
      (each, at) => !sent.slice(at + 1).some((older) => older.digest === each.digest),
    );
    return actual.applyCodeLimits(limits, code, different, now);
  };
  return { ...actual, applyCodeLimits };
});
jest.mock('../../src/store/engine/engine', () => {
  const actual = jest.requireActual<typeof Locks>('../../src/store/engine/engine');
  const takeLock: typeof Locks.takeLock = async (transaction, engine, names, way) => {
    const leftOut = mockPlanted === undefined ? undefined : LEFT_OUT[mockPlanted];
    if (leftOut === undefined || !names.some((name) => name.startsWith(leftOut)))
      await actual.takeLock(transaction, engine, names, way);
  };
  return { ...actual, takeLock };
});

/** The names of locks that are not taken begin with these. */
const LEFT_OUT: Partial<Record<Bug, string>> = {
  'codes for one phone are accepted in parallel': 'codes ',
  'requests of the same note are resolved at once': 'marks ',
};

/** Changes the texts of statements, by their names. */
const STATEMENTS: Partial<Record<Bug, readonly [name: RegExp, change: (text: string) => string]>> = {
  'a lost lease is settled': [
    /^settle_/,
    (text) =>
      text.replace(
        /and lease_owner = \?\s+and case when state = 'sending' then lease_until end = \?/,
        "and ? <> ? + 0.5 and state = 'sending'",
      ),
  ],
  'a claim on PostgreSQL does not pass over locked rows': [
    /^claim_messages$/,
    (text) => text.replace(' for update skip locked', ''),
  ],
  'a request ends while one of its messages waits': [
    /^pushes_of_request$/,
    (text) =>
      text.replace('where request_id = ?', "where state not in ('queued', 'sending') and request_id = ?"),
  ],
  'a note is repeated before its time is over': [
    /^resolved_since$/,
    (text) => text.replace('resolved_at > ?', 'resolved_at > ? + 30000'),
  ],
  'a receipt is dropped whose SMS is recorded as sent meanwhile': [
    /^has_receipt$/,
    (text) => text.replace("and receipt <> 'waiting'", ''),
  ],
  'a receipt passes an early one of its SMS': [
    /^record_receipt$/,
    (text) => text.replace(/and not exists (\(select .*\?\))/s, 'and (1 = 1 or not exists $1)'),
  ],
  'a later receipt replaces the first': [
    /^record_receipt$/,
    (text) => text.replace("and receipt = 'waiting'", 'and receipt is not null'),
  ],
  'a receipt goes to the SMS of another gateway': [
    /^record_receipt$/,
    (text) => text.replace('and gateway in (?, ?)', 'and (1 = 1 or gateway in (?, ?))'),
  ],
  'leases are taken away before they expire': [
    /^requeue_abandoned$/,
    (text) => text.replace('lease_until <= ?', 'lease_until <= ? + 5000'),
  ],
};

/** Maps each changed statement to its twin. */
const twins = new Map<unknown, unknown>();

function twinOf(bug: Bug): StatementTwin {
  const [name, change] = STATEMENTS[bug] ?? [];
  return (statement) => {
    if (change === undefined || name?.test(statement.name) !== true) return statement;
    const twin = twins.get(statement) ?? changed(statement, change);
    twins.set(statement, twin);
    return twin as typeof statement; // Of the same kind, but for its text.
  };
}

function changed(statement: HotStatement<never, readonly SqlValue[]>, change: (text: string) => string) {
  return {
    ...statement,
    build: (...args: Parameters<typeof statement.build>) => ({
      compile: (db: Parameters<ReturnType<typeof statement.build>['compile']>[0]) => {
        const compiled = statement.build(...args).compile(db);
        return { ...compiled, sql: change(compiled.sql) };
      },
    }),
  };
}

describe('the simulation', () => {
  let simulation: Simulation;
  beforeAll(async () => {
    simulation = await Simulation.open();
  });
  afterAll(() => simulation.close());
  afterEach(() => {
    mockPlanted = undefined;
    mockNight = { begin: 0, end: 0 };
    twins.clear();
  });

  const bugs = (Object.keys(BUGS) as Bug[]).filter((bug) => !IMPOSSIBLE.includes(bug));
  it.each(bugs)(
    'finds that %s',
    async (bug) => {
      mockPlanted = bug;
      const [lastFound, said] = BUGS[bug];
      // A change of the delivery changes the worlds: then all of them are looked through.
      const seeds = [lastFound, ...Array.from({ length: MAX_SEEDS }, (_, at) => at + 1)];
      expect(lastFound).toBeLessThanOrEqual(MAX_SEEDS);
      let finding: Finding | undefined;
      for (const seed of seeds) {
        finding ??= (await simulation.run(seed, twinOf(bug))).finding;
        if (finding !== undefined) break;
      }
      expect(finding?.what).toMatch(said);
      if (finding?.seed !== lastFound) console.log(`${bug}: found by seed ${String(finding?.seed)}`);
    },
    300_000,
  );
});
