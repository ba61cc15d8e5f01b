// Alerts about what holds messages, now and shortly before.

import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { HOLD_TEXTS } from '../../../src/admin/alerts/hold-rules';
import type { Snapshot } from '../../../src/admin/alerts/snapshot';
import { type Hold, noWorker } from '../../../src/store';
import { englishText } from '../../../src/support/phrase';
import { HOUR, MINUTE, namesIn, NOW, ROUTES, STORE, stored } from './snapshots';

const HOLD: Hold = {
  ...{ cause: 'failing', channel: 'sms', gateway: 'okulsms', since: NOW - 5 * MINUTE, until: null },
  reason: { code: 'provider_failing', status: 503 },
};
const backlogOf = (channel: 'mark' | 'push' | 'sms', messages: number) => ({
  ...{ channel, messages },
  ...{ oldestCreatedAt: NOW, oldestDueAt: NOW },
});
/** Two codes wait, and three messages of each other channel. */
const BACKLOG = [backlogOf('sms', 2), backlogOf('push', 3), backlogOf('mark', 3)];
const during = (...holds: readonly Hold[]): Snapshot =>
  stored({
    backlog: BACKLOG,
    holds: { routes: ROUTES, holds, ofSome: holds.filter(({ until }) => until === null) },
  });
const saidIn = (snapshot: Snapshot): readonly string[] =>
  activeAlerts(snapshot).map(
    ({ summary, description }) => `${englishText(summary)}. ${englishText(description)}`,
  );

it.each<readonly [Partial<Hold>, string]>([
  [
    { cause: 'account' },
    'okulsms refuses the account (HTTP 503). Nothing has been sent over sms for 5 min; messages waiting: 2.',
  ],
  [{}, 'okulsms is failing (HTTP 503). Nothing has been sent over sms for 5 min; messages waiting: 2.'],
  [{ cause: 'pause' }, 'okulsms asks for pauses (HTTP 503). It has been so for 5 min; messages waiting: 2.'],
  [
    { cause: 'rate' },
    'okulsms accepts fewer messages than are waiting. It has been so for 5 min; messages waiting: 2.',
  ],
  [
    noWorker(NOW - 5 * MINUTE, null),
    'No worker is running. Nothing has been sent for 5 min; messages waiting: 8.',
  ],
])('while %j holds messages: %s', (hold, text) => {
  expect(saidIn(during({ ...HOLD, ...hold }))).toEqual([text]);
});

it.each<readonly [Partial<Hold>, string]>([
  [{ cause: 'account' }, 'okulsms refused the account (HTTP 503) for 9 min'],
  [{}, 'okulsms was failing (HTTP 503) for 9 min'],
  [{ cause: 'pause' }, 'okulsms asked for pauses (HTTP 503) for 9 min'],
  [{ cause: 'rate' }, 'okulsms accepted fewer messages than were waiting for 9 min'],
  [noWorker(0, 0), 'No worker was running for 9 min'],
  [
    { cause: 'database', channel: null, gateway: null, reason: null },
    'The database was not responding for 9 min',
  ],
])('after %j held messages: %s', (hold, text) => {
  const over = { ...HOLD, ...hold, since: NOW - 11 * MINUTE, until: NOW - 2 * MINUTE };
  expect(saidIn(during(over))).toEqual([
    `${text}. It ended 2 min ago. Codes that waited longer than they are valid have expired.`,
  ]);
});

it('a database that does not respond has a text for now as well', () => {
  expect(HOLD_TEXTS.database.now).toBe('The database is not responding');
});

it.each([
  ['for exactly a minute', NOW - MINUTE - 1000, NOW - 1000, ['HoldEnded']],
  ['for less than a minute', NOW - MINUTE, NOW - 1, []],
  ['nearly fifteen minutes ago', NOW - HOUR, NOW - 15 * MINUTE + 1, ['HoldEnded']],
  ['fifteen minutes ago', NOW - HOUR, NOW - 15 * MINUTE, []],
])('a hold that was over %s', (_when, since, until, names) => {
  expect(namesIn(during({ ...HOLD, since, until }))).toEqual(names);
});

it('holds that are over come in the order in which they ended, the last one first', () => {
  const [first, last] = [8, 3].map((minutes) => ({
    ...{ ...HOLD, since: NOW - 14 * MINUTE, until: NOW - minutes * MINUTE },
  })) as [Hold, Hold];
  const endedAt = (holds: readonly Hold[]) => activeAlerts(during(...holds)).map(({ until }) => until);
  expect(endedAt([first, last])).toEqual([last.until, first.until]);
  expect(endedAt([last, first])).toEqual([last.until, first.until]);
});

it.each([
  ['no worker', noWorker(NOW - MINUTE, null), []],
  ['no worker, longer', noWorker(NOW - MINUTE - 1, null), ['NoWorker']],
  ['a busy gateway, shorter', { ...HOLD, cause: 'pause' as const, since: NOW - MINUTE + 1 }, []],
  ['a busy gateway', { ...HOLD, cause: 'pause' as const, since: NOW - MINUTE }, ['GatewayBusy']],
])('after a minute with %s', (_what, hold, names) => {
  expect(namesIn(during(hold))).toEqual(names);
});

it('two holds by missing workers are one alert', () => {
  expect(namesIn(during(noWorker(NOW - HOUR, null), noWorker(NOW - 2 * HOUR, null)))).toEqual(['NoWorker']);
});

it('a route sends through a gateway that works again', () => {
  const routes = [{ channel: 'sms', gateways: ['okulsms', 'netgsm'] }] as const;
  const netgsm = { ...HOLD, gateway: 'netgsm' };
  const over = { ...netgsm, since: NOW - HOUR, until: NOW - 30 * MINUTE };
  const saidWhile = (...holds: readonly Hold[]) => {
    const { store = STORE } = during(...holds);
    return saidIn(stored({ holds: { ...store.holds, routes } }))[0];
  };
  expect(saidWhile(HOLD, over)).toContain('Its messages wait or go through another gateway');
  expect(saidWhile(HOLD, over, netgsm)).toContain('Nothing has been sent over sms for 5 min');
});

it('the advice follows from the answer of the gateway', () => {
  const adviceOn = (hold: Hold) => activeAlerts(during(hold)).map(({ advice }) => advice.join(' '));
  const refused = { ...HOLD, cause: 'account' as const };
  const [ofReason = ''] = adviceOn({
    ...refused,
    reason: { code: 'account_stopped', status: 200, detail: '12', meaning: 'no credit left' },
  });
  const [ofRule = ''] = adviceOn({ ...refused, reason: null });
  expect(ofRule).toMatch(/^Correct GATEWAYS_FILE or FCM_SERVICE_ACCOUNT/);
  expect(ofReason).not.toBe(ofRule);
});

describe('what a hold explains', () => {
  const failed = { failed: 0, failedNumbers: 0, held: 27, heldNumbers: 25, ended: 3, numbers: 3 };
  const causesIn = (hold: Hold, more: Partial<typeof STORE>): readonly string[] => {
    const { store = STORE, ...snapshot } = during(hold);
    return activeAlerts({ ...snapshot, store: { ...store, ...more } })
      .filter(({ rule }) => !['HoldEnded', 'NoWorker'].includes(rule.name))
      .map(({ rule, cause = 'none' }) => `${rule.name}: ${cause.split(' ')[0] ?? ''}`);
  };

  it('is every wait on any channel if no worker runs', () => {
    const old = { oldestCreatedAt: NOW - 20 * HOUR, oldestDueAt: NOW - HOUR };
    const backlog = BACKLOG.map((each) => ({ ...each, ...old }));
    expect(causesIn(noWorker(NOW - HOUR, null), { backlog }).toSorted()).toEqual([
      'CodesWait: NoWorker',
      'NotesWaitForData: NoWorker',
      'PushesWait: NoWorker',
      'SendingStopped: NoWorker',
      'SendingStopped: NoWorker',
      'SendingStopped: NoWorker',
    ]);
  });

  it('is not what began after it was over, nor that sending has stopped', () => {
    const over = { ...HOLD, since: NOW - 14 * MINUTE, until: NOW - 12 * MINUTE };
    const waitingSince = (minutes: number) => ({
      backlog: [
        { ...backlogOf('sms', 1), oldestCreatedAt: NOW - minutes * MINUTE, oldestDueAt: NOW - 11 * MINUTE },
      ],
    });
    expect(causesIn(over, waitingSince(13))).toEqual(['CodesWait: HoldEnded', 'SendingStopped: none']);
    expect(causesIn(over, waitingSince(11.5))).toEqual(['CodesWait: none', 'SendingStopped: none']);
  });

  it('includes codes that expired while it lasted', () => {
    expect(causesIn(HOLD, { codes: failed })).toEqual([
      'CodesFail: ProviderLeftAlone',
      'ProviderLeftAlone: none',
    ]);
  });
});
