import { englishText } from '../../../src/support/phrase';
import { Registry } from 'prom-client';

import { activeAlerts, AlertWatch, RULE_GROUPS } from '../../../src/admin/alerts/alerts';
import type { Alert } from '../../../src/admin/alerts/rule';
import { readSnapshot, type Snapshot } from '../../../src/admin/alerts/snapshot';
import { ClockWatch } from '../../../src/admin/history/nodes';
import { readNodeFacts } from '../../../src/admin/history/nodes';
import { type Config, loadConfig } from '../../../src/config';
import {
  type CodeResults,
  type Hold,
  type MessageChannel,
  noWorker,
  type NodeRecord,
  SILENT_MS,
} from '../../../src/store';
import { useDatabase } from '../../harness/test-databases';
import { beside, DAY, HOUR, MINUTE, NOW, onNode, point, ROUTES, STORE, stored, WELL } from './snapshots';

/** Settings under which no channel is a file. */
const CONFIG: Config = { ...loadConfig({}), SMS_CHANNEL: 'http', PUSH_CHANNEL: 'fcm' };
/** Messages that ended some minutes ago. */
const ended = (channel: MessageChannel, sent: number, failed: number, expired = 0, minutesAgo = 1) =>
  stored({
    minutes: [
      point(minutesAgo, {
        settled: [
          { channel, state: 'sent', messages: sent },
          { channel, state: 'failed', messages: failed },
          { channel, state: 'expired', messages: expired },
        ],
      }),
    ],
  });
const called = (
  counts: Readonly<Record<string, number>>,
  minutesAgo = 1,
  names = { operation: 'GetTokenDevice', binding: 'soap11' },
): Snapshot => {
  const requests = Object.entries(counts).map(([outcome, count]) => ({ ...names, outcome, requests: count }));
  return stored({ minutes: [point(minutesAgo, { requests })] });
};
const waiting = (channel: MessageChannel, minutes: number, dueMinutes = 0): Snapshot =>
  stored({
    backlog: [
      {
        ...{ channel, messages: 1200 },
        ...{ oldestCreatedAt: NOW - minutes * MINUTE, oldestDueAt: NOW - dueMinutes * MINUTE },
      },
    ],
  });
/** Codes that were sent in a minute each, by how long the slowest of a hundred took. */
const sentIn = (...seconds: readonly number[]): Snapshot =>
  stored({
    minutes: seconds.map((each, at) =>
      point(at + 1, {
        sent: [
          { channel: 'sms', messages: 2, medianMs: 200, p99Ms: each * 1000 },
          { channel: 'push', messages: 90, medianMs: 200, p99Ms: 60_000 },
        ],
      }),
    ),
  });
const failedInADay = (messages: number): Snapshot =>
  stored({ hours: [point(600, { settled: [{ channel: 'push', state: 'failed', messages }] })] });
/** Attempts of an hour, ago: with tokens of another project, and others. */
const pushed = (foreign: number, sent: number): Snapshot =>
  stored({
    minutes: [
      point(50, {
        attempts: [
          { channel: 'push', outcome: 'foreign-token', gateway: 'fcm', attempts: foreign },
          { channel: 'push', outcome: 'sent', gateway: 'fcm', attempts: sent },
          { channel: 'sms', outcome: 'sent', gateway: 'own', attempts: 7 },
        ],
      }),
    ],
  });
/** Attempts to send codes, some minutes ago: refused by the gateway, and others. */
const attempted = (refused: number, sent: number, minutes = 14): Snapshot =>
  stored({
    minutes: [
      point(minutes, {
        attempts: [
          { channel: 'sms', outcome: 'refused', gateway: 'own', attempts: refused },
          { channel: 'sms', outcome: 'sent', gateway: 'own', attempts: sent },
          { channel: 'push', outcome: 'sent', gateway: 'fcm', attempts: 100 },
        ],
      }),
    ],
  });
/** Returns a snapshot with codes that ended in the last ten minutes. */
const codes = (results: Partial<CodeResults>): Snapshot => stored({ codes: { ...STORE.codes, ...results } });
const REFUSED: Hold = {
  ...{ cause: 'account', channel: 'sms', gateway: 'okulsms', since: NOW, until: null },
  reason: { code: 'account_stopped', status: 200, detail: '12', meaning: 'no credit left' },
};
const held = (hold: Hold): Snapshot =>
  stored({ holds: { routes: ROUTES, holds: [hold], ofSome: hold.until === null ? [hold] : [] } });

const shown = ({ key, rule, description }: Alert): string =>
  `${rule.severity} ${key}: ${englishText(description)}`;
const found = (snapshot: Snapshot): readonly string[] => activeAlerts(snapshot).map(shown);

it.each<readonly [string, Snapshot]>([
  ['all is well', WELL],
  ['a code has waited for half a minute', waiting('sms', 0.5)],
  ['a gateway has been busy for a moment', held({ ...REFUSED, cause: 'rate', since: NOW - MINUTE / 2 })],
  ['a worker is replaced', held(noWorker(NOW - MINUTE / 2, null))],
  ['a hold ended long ago', held({ ...REFUSED, since: NOW - HOUR, until: NOW - 16 * MINUTE })],
  ['a node was heard from a moment ago', beside({ heardAt: NOW - 2 * MINUTE })],
  ['push messages wait for quiet hours to end', waiting('push', 600, -60)],
  ['a push message has just become due', waiting('push', 600, 5)],
  ['codes to two numbers failed, however many', codes({ failed: 50, failedNumbers: 2 })],
  ['a fifth of the push messages failed', ended('push', 80, 20)],
  ['few push messages were sent and all failed', ended('push', 0, 20)],
  ['two requests failed', called({ server_error: 2 })],
  ['one request in twenty failed', called({ ok: 95, server_error: 5 })],
  ['a few callers send errors', called({ client_error: 50 })],
  ['a hundred messages failed within a day', failedInADay(100)],
  ['a gateway refused half of the codes', attempted(5, 5)],
  ['a gateway refused the few codes that there were', attempted(4, 0)],
  ['a gateway refused codes before', attempted(50, 0, 17)],
  ['one code in a minute was slow, and the push messages', sentIn(1, 1, 10)],
  ['the only two codes were slow', sentIn(30)],
  ['some devices belong to another Firebase project', pushed(100, 1)],
  ['the few devices that got a note belong to another Firebase project', pushed(4, 0)],
  [
    'scanners and browsers ask for what is not there',
    called({ client_error: 500 }, 25, { operation: 'none', binding: 'none' }),
  ],
  ['the old server answers', onNode({ oldServerAnswers: true })],
  ['the certificate is valid for two weeks', onNode({ certificateEndsAt: NOW + 14 * DAY })],
  ['the clock jumped two hours ago', onNode({ clockJumpedAt: NOW - 2 * HOUR })],
  ['a large disk has a small share free', onNode({ disk: { free: 30e9, size: 1000e9 } })],
])('finds no alert while %s', (_what, snapshot) => {
  expect(found(snapshot)).toEqual([]);
});

const ALERTS: readonly (readonly [Snapshot, string])[] = [
  [
    { ...WELL, store: undefined },
    'critical ServiceNotReady a:8080: The process runs, but /readyz of a:8080 answers 503: new messages are rejected and none are sent.',
  ],
  [
    called({ ok: 94, server_error: 6 }),
    'critical RequestsFail GetTokenDevice: 6% of the requests for GetTokenDevice failed because of an error in the service.',
  ],
  [
    called({ ok: 40, client_error: 60 }, 25),
    'warning CallersSendErrors GetTokenDevice, soap11: 60% of the GetTokenDevice requests over soap11 were invalid or not allowed.',
  ],
  [
    called({ server_error: 6 }, 1, { operation: 'none', binding: 'none' }),
    'critical RequestsFail none: 100% of the requests that match no operation failed because of an error in the service.',
  ],
  [
    waiting('sms', 2),
    'critical CodesWait: The oldest code has been waiting for 2 min. A code expires after 5 minutes.',
  ],
  [
    codes({ failed: 51, failedNumbers: 41, ended: 266, numbers: 200 }),
    'critical CodesFail: 51 of 266 (19%) codes to 41 of 200 numbers failed or expired in the last 10 minutes.',
  ],
  [
    codes({ failed: 9, failedNumbers: 3, ended: 300, numbers: 100 }),
    'warning SomeCodesFail: 9 of 300 (3%) codes to 3 of 100 numbers failed or expired in the last 10 minutes.',
  ],
  [
    ended('push', 79, 21, 0, 50),
    'warning PushesFail: 21 of 100 (21%) of the push messages of the last hour failed or expired.',
  ],
  [
    pushed(5, 0),
    'critical WrongFirebaseProject: FCM refused 5 push messages of the last hour for this reason, and accepted none.',
  ],
  [
    attempted(6, 5),
    'critical ProviderRefuses sms: 6 of 11 (55%) of the attempts were rejected. Each message shows the code of the gateway.',
  ],
  [
    failedInADay(101),
    'warning DeadLettersGrow push: 101 messages failed within 24 hours. They are kept for KEEP_MESSAGES_DAYS, or until you retry them.',
  ],
  [
    waiting('mark', 90, -1),
    'warning NotesWaitForData: The oldest SendMarkNotes request has been waiting for 1 h 30 min. It fails after 24 hours.',
  ],
  [
    waiting('push', 900, -1),
    'warning PushesWait: The oldest push message has been waiting for 15 h, longer than quiet hours. It expires after 24 hours.',
  ],
  [
    waiting('push', 20, 11),
    'critical SendingStopped push: A message has been due for 11 min, and none was sent in the last 10 minutes.',
  ],
  [
    held({ ...REFUSED, since: NOW - 3 * MINUTE }),
    'critical AccountRefused sms, okulsms: Nothing has been sent over sms for 3 min; messages waiting: 0.',
  ],
  [
    held({ ...REFUSED, gateway: 'second', since: NOW - 3 * MINUTE }),
    'critical AccountRefused sms, second: It has been so for 3 min. Its messages wait or go through another gateway; messages waiting: 0.',
  ],
  [
    held({ ...REFUSED, cause: 'failing', channel: 'push', gateway: 'fcm', since: NOW - MINUTE }),
    'critical ProviderLeftAlone push, fcm: Nothing has been sent over push for 1 min; messages waiting: 0.',
  ],
  [
    held({ ...REFUSED, cause: 'rate', reason: null, since: NOW - 2 * MINUTE }),
    'warning GatewayBusy sms, okulsms: It has been so for 2 min; messages waiting: 0.',
  ],
  [
    held(noWorker(NOW - 5 * MINUTE, null)),
    'critical NoWorker: Nothing has been sent for 5 min; messages waiting: 0.',
  ],
  [
    held({ ...REFUSED, since: NOW - 15 * MINUTE, until: NOW - 2 * MINUTE }),
    `info HoldEnded sms, okulsms, ${String(NOW - 15 * MINUTE)}: It ended 2 min ago. Codes that waited longer than they are valid have expired.`,
  ],
  [
    { ...WELL, fileChannels: ['sms'] },
    'critical FileChannel sms: Messages of the channel sms are only written to a file in DATA_DIR. They are not delivered.',
  ],
  [
    { ...stored({ loadedSchools: 'sample' }), fileChannels: ['sms', 'push'] },
    'info SampleInstallation: The database holds the sample school. These messages are only written to a file in DATA_DIR.',
  ],
  [
    { ...WELL, secondPrimaries: ['a:5432'] },
    'critical TwoPrimaries a:5432: Data written to a:5432 is missing from the primary. This service uses the server with the highest timeline.',
  ],
  [
    onNode({ disk: { free: 12e9, size: 100e9 } }),
    'warning DiskLow a:8080: 12.0% of the disk with DATA_DIR is free.',
  ],
  [
    beside({ disk: { free: 0.5e9, size: 100e9 } }),
    'critical DiskNearlyFull b:8080: 0.5% of the disk with DATA_DIR is free. When the disk is full, new messages are rejected.',
  ],
  [
    beside({ heardAt: NOW - 10 * MINUTE }),
    'warning NodeSilent b:8080: Node b:8080 last reported 10 min ago and did not shut down cleanly.',
  ],
  [
    onNode({ clockJumpedAt: NOW - MINUTE }),
    'warning ClockJumped a:8080: The system clock was changed by more than 30 seconds within the last hour. Codes may have expired early or late.',
  ],
  [onNode({ certificateEndsAt: NOW + 13 * DAY }), 'warning CertificateEnds a:8080: It expires in 13 d.'],
  [onNode({ certificateEndsAt: NOW + 2 * DAY }), 'warning CertificateEnds a:8080: It expires in 2 d.'],
  [
    onNode({ certificateEndsAt: NOW - DAY }),
    'critical CertificateEndsNow a:8080: It expires in 0 s. Callers reject an expired certificate.',
  ],
  [
    { ...WELL, findings: [{ level: 'error', message: 'X is wrong' }] },
    'critical SettingsFail: Errors: X is wrong.',
  ],
  [{ ...WELL, findings: [{ level: 'warn', message: 'X is unusual' }] }, 'info SettingsWarn: Warnings: 1.'],
  [sentIn(1, 12), 'warning CodesSlow: 1% of the codes are sent later than 6 s after the request.'],
];

it.each(ALERTS.map(([snapshot, expected]) => ({ snapshot, expected })))(
  'finds $expected',
  ({ snapshot, expected }) => {
    expect(found(snapshot)).toEqual([expected]);
  },
);

const BAD_FACTS: Required<
  Omit<NodeRecord, 'name' | 'heardAt' | 'version' | 'processes' | 'circuits' | 'oldServerAnswers'>
> = {
  certificateEndsAt: NOW + DAY,
  clockJumpedAt: NOW,
  disk: { free: 1, size: 100e9 },
};

it.each(Object.entries(BAD_FACTS))('counts %s of another node until it is silent', (fact, bad) => {
  const after = (ms: number): readonly string[] =>
    activeAlerts(beside({ heardAt: NOW - ms, [fact]: bad })).map(({ rule }) => rule.name);
  expect(after(SILENT_MS)).not.toEqual([]);
  expect(after(SILENT_MS)).not.toContain('NodeSilent');
  expect(after(SILENT_MS + 1)).toEqual(['NodeSilent']);
});

const RULES = Object.values(RULE_GROUPS).flat();

it('leaves to Prometheus only what the service keeps no data on', () => {
  expect(
    RULES.filter(({ find, search }) => find === undefined && search === undefined).map(({ name }) => name),
  ).toEqual([
    ...['ServiceDown', 'ServiceMissing', 'AnswersSlow', 'CallersRefused', 'StoreFails'],
    ...['StoreSlow', 'EventLoopLags', 'ProcessesDie', 'ServiceRestarts'],
  ]);
});

it('lists all errors of the settings in one alert', () => {
  const findings = ['A is wrong', 'B is wrong'].map((message) => ({ level: 'error' as const, message }));
  const [alert] = activeAlerts({ ...WELL, findings });
  expect(alert && englishText(alert.description)).toBe('Errors: A is wrong; B is wrong.');
});

it('lists the most severe alerts first', () => {
  const snapshot: Snapshot = {
    ...beside({ heardAt: NOW - 10 * MINUTE }),
    findings: [{ level: 'warn', message: 'X is unusual' }],
    fileChannels: ['sms'],
  };
  expect(activeAlerts(snapshot).map(({ rule }) => rule.severity)).toEqual(['critical', 'warning', 'info']);
});

it('leaves no placeholder open in an alert’s text', () => {
  for (const { name, summary, description, advice, expr = '' } of RULES) {
    // Labels that Prometheus keeps: it words the alert with the same text.
    for (const [, label = ''] of (summary + description).matchAll(/\{(?!value\b)(\w+)\}/g))
      expect(`${name}: ${expr} instance ${label === 'instance' ? '' : 'by'}`).toMatch(
        label === 'instance' ? /instance/ : new RegExp(`by \\([^)]*\\b${label}\\b`),
      );
    expect(advice).toMatch(/^[A-Z].*\.$/);
    expect(summary).not.toMatch(/\.$/);
  }
});

describe('the alert watch', () => {
  const database = useDatabase('sqlite');

  it('publishes the active alerts, passes them on, and shows when each ends', async () => {
    const registry = new Registry();
    const store = await database.open();
    let now = NOW;
    const looks: (readonly string[])[] = [];
    const watch = new AlertWatch({
      ...{ store, registry, now: () => now, findings: [] },
      config: CONFIG,
      node: { name: 'a:8080', version: '1', folder: '/nowhere/at all', metrics: { registry } },
      onLook: (alerts) => {
        looks.push(alerts.map(({ key }) => key));
      },
    });
    const metric = async (): Promise<string> => registry.getSingleMetricAsString('service_alerts');
    expect(await metric()).toContain('service_alerts{alert="CodesWait",severity="critical"} 0\n');
    await store.messages.enqueue({
      ...{ channel: 'sms', recipient: '905551112233', school: '', payload: { text: 'x' }, dedupeKey: null },
      ...{ createdAt: NOW - 2 * MINUTE, expiresAt: NOW + 3 * MINUTE },
    });
    await watch.look();
    expect(await metric()).toContain('service_alerts{alert="CodesWait",severity="critical"} 1\n');
    expect(await metric()).toContain('service_alerts{alert="DiskLow",severity="warning"} 0\n');
    now = NOW - 2 * MINUTE;
    await watch.look();
    expect(await metric()).toContain('service_alerts{alert="CodesWait",severity="critical"} 0\n');
    await store.close();
    await watch.look();
    expect(await metric()).toContain('service_alerts{alert="ServiceNotReady",severity="critical"} 1\n');
    expect(looks).toEqual([['CodesWait'], [], ['ServiceNotReady a:8080']]);
  });

  it('looks at its start and every ten seconds, and its stop waits for the look under way', async () => {
    const store = await database.open();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    let looks = 0;
    let looked = (): void => undefined;
    const next = (): Promise<void> => new Promise((resolve) => (looked = resolve));
    let goOn = (): void => undefined;
    const watch = new AlertWatch({
      ...{ store, registry: new Registry(), findings: [], config: CONFIG },
      node: { name: 'a:8080', version: '1', folder: '/nowhere', metrics: { registry: new Registry() } },
      now: () => NOW,
      onLook: async () => {
        looks += 1;
        const held = new Promise<void>((resolve) => (goOn = resolve));
        looked();
        await held;
      },
    });
    try {
      const first = next();
      watch.start();
      await first;
      goOn();
      await watch.look();
      const second = next();
      jest.advanceTimersByTime(10_000);
      await second;
      expect(looks).toBe(2);
      const order: string[] = [];
      const stopped = watch.stop().then(() => order.push('stopped'));
      await new Promise((resolve) => setImmediate(resolve));
      order.push('look goes on');
      goOn();
      await stopped;
      expect(order).toEqual(['look goes on', 'stopped']);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not take a busy database for one that is down', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const registry = new Registry();
      const store = await database.open();
      const backlog = store.outbox.backlog.bind(store.outbox);
      const asked = new Promise<void>((resolve) => {
        store.outbox.backlog = async () => {
          resolve();
          await new Promise((goOn) => setTimeout(goOn, 8000));
          return backlog();
        };
      });
      const snapshot = readSnapshot(
        store,
        { name: 'a:8080', version: '1', folder: '/nowhere', metrics: { registry } },
        {
          config: CONFIG,
          findings: [],
        },
        NOW,
      );
      await asked;
      await jest.advanceTimersByTimeAsync(8000);
      expect(found(await snapshot)).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('the clock watch', () => {
  it.each([
    ['forward', 31_000, true],
    ['back', -31_000, true],
    ['by a little', 29_000, false],
  ])('detects a clock that is set %s', async (_how, by, isJump) => {
    const registry = new Registry();
    const clock = { now: NOW, elapsed: 0 };
    const watch = new ClockWatch({ registry, now: () => clock.now, elapsed: () => clock.elapsed });
    const jumpedAt = async () =>
      (await readNodeFacts({ name: 'a', version: '1', folder: '/', metrics: { registry } })).clockJumpedAt;
    clock.now += HOUR;
    clock.elapsed += HOUR;
    watch.look();
    expect(await jumpedAt()).toBeUndefined();
    clock.now += 10_000 + by;
    clock.elapsed += 10_000;
    watch.look();
    const seenAt = isJump ? clock.now : undefined;
    expect(await jumpedAt()).toBe(seenAt);
    // It jumped once.
    clock.now += 10_000;
    clock.elapsed += 10_000;
    watch.look();
    expect(await jumpedAt()).toBe(seenAt);
  });
});

describe('a gateway that refuses the account', () => {
  const other: Hold = { ...REFUSED, gateway: 'other' };
  const described = (holds: readonly Hold[]): readonly string[] =>
    activeAlerts(
      stored({
        holds: { routes: [{ channel: 'sms', gateways: ['okulsms', 'other'] }], holds, ofSome: holds },
      }),
    ).map(({ description }) => englishText(description));

  it('stops the channel only with all others of its route', () => {
    expect(described([REFUSED])).toEqual([expect.stringContaining('or go through another gateway')]);
    const all = expect.stringContaining('Nothing has been sent over sms') as string;
    expect(described([REFUSED, other])).toEqual([all, all]);
  });
});

describe('an alert that another one explains', () => {
  const causes = (snapshot: Snapshot) =>
    activeAlerts(snapshot).map(({ key, cause }) => [key, cause ?? 'none'] as const);
  const account = { routes: ROUTES, holds: [REFUSED], ofSome: [REFUSED] };
  const failed = { ...STORE.codes, ended: 3, numbers: 3 };
  const expired = { ...failed, held: 27, heldNumbers: 25 };
  const { backlog } = waiting('sms', 12, 11).store ?? STORE;

  it('names its cause, with the code of the gateway and its meaning', () => {
    const snapshot = stored({ holds: account, codes: expired, backlog });
    expect(causes(snapshot)).toEqual([
      ['CodesWait', 'AccountRefused sms, okulsms'],
      ['CodesFail', 'AccountRefused sms, okulsms'],
      ['SendingStopped sms', 'AccountRefused sms, okulsms'],
      ['AccountRefused sms, okulsms', 'none'],
    ]);
    const [cause] = activeAlerts(snapshot).filter(({ rule }) => rule.name === 'AccountRefused');
    expect(cause && englishText(cause.summary)).toBe('okulsms refuses the account (12: no credit left)');
  });

  it('stands by itself if the codes failed for other reasons, or on another channel', () => {
    const failing = { ...failed, failed: 3, failedNumbers: 3 };
    expect(causes(stored({ holds: account, codes: failing }))).toContainEqual(['CodesFail', 'none']);
    const push = waiting('push', 900, 11).store ?? STORE;
    expect(causes(stored({ holds: account, backlog: push.backlog }))).toContainEqual(['PushesWait', 'none']);
  });

  it('counts and grades only the codes that failed by themselves', () => {
    const both = { ...expired, failed: 4, failedNumbers: 3, ended: 104, numbers: 100 };
    const alerts = activeAlerts(stored({ holds: account, codes: both }));
    expect(alerts.map(({ key, cause }) => [key, cause])).toEqual([
      ['AccountRefused sms, okulsms', undefined],
      ['SomeCodesFail', undefined],
    ]);
    expect(alerts.map(({ description }) => englishText(description))).toContain(
      '4 of 104 (4%) codes to 3 of 100 numbers failed or expired in the last 10 minutes, not counting the 27 that expired while they were held.',
    );
    const [symptom] = activeAlerts(stored({ holds: account, codes: expired })).filter(
      ({ rule }) => rule.name === 'CodesFail',
    );
    expect(symptom && englishText(symptom.description)).toBe(
      '27 codes to 25 numbers expired in the last 10 minutes while they were held.',
    );
  });

  it('is explained by what is over, as long as it shows', () => {
    const over = { ...REFUSED, since: NOW - 15 * MINUTE, until: NOW - 2 * MINUTE };
    expect(causes(stored({ holds: { ...account, holds: [over], ofSome: [] }, codes: expired }))).toEqual([
      ['CodesFail', `HoldEnded sms, okulsms, ${String(over.since)}`],
      [`HoldEnded sms, okulsms, ${String(over.since)}`, 'none'],
    ]);
  });
});
