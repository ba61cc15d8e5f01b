// A whole day of a school, at whose every step each figure of the overview and of each alert, and the pages about
// people, are held against what the stand-ins did and what the callers sent.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { serviceAccount, writeGatewaysFile } from '../../../scripts/harness/delivery';
import { activeAlerts } from '../../../src/admin/alerts/alerts';
import type { Alert } from '../../../src/admin/alerts/rule';
import { readSnapshot } from '../../../src/admin/alerts/snapshot';
import { duration } from '../../../src/admin/reports/duration';
import { FEATURES } from '../../../src/features';
import { readSettings } from '../../../src/config';
import { englishText } from '../../../src/support/phrase';
import { useFolder } from '../../harness/use-folder';
import { followFigures } from './linked-figures';
import { OutageDay } from './outage-day';
import { type Noted, SchoolBook, TOKENS } from './school-book';
import { useConsole } from './use-console';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEP = 10 * MINUTE;
const STEPS = 24 * 6;
const SCHOOL = 'http://school.example';
/** Number that asks for more codes than the limit allows. */
const GREEDY = '+905551230099';
const BOUND = 5;

const folder = useFolder();
const account = join(folder, 'account.json');
writeFileSync(account, JSON.stringify(serviceAccount()));
const SETTINGS = {
  ...{ SMS_CHANNEL: 'http', PUSH_CHANNEL: 'fcm', FCM_SERVICE_ACCOUNT: account, TIME_ZONE: 'UTC' },
  GATEWAYS_FILE: writeGatewaysFile(folder, { url: 'http://127.0.0.1:9/' }),
};

/** Returns the text of a page without its markup. */
const plain = (text: string): string =>
  text
    .replace(/^[^]*<main id="content">/, '')
    .replace(/<\/main>[^]*$/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

/** Names of the alerts that the day has, so that the figures of each are held. */
const DAYS_ALERTS = [
  ...['AccountRefused', 'HoldEnded', 'CodesFail'],
  ...('receipts' in FEATURES ? ['CodesUndelivered'] : []),
  ...('pumping' in FEATURES ? ['CodesGoAstray'] : []),
];

describe('a whole day', () => {
  const console = useConsole('sqlite', SETTINGS);
  let book: SchoolBook;
  let day: OutageDay;
  let isLater: jest.SpyInstance;

  beforeEach(async () => {
    book = new SchoolBook(() => console.now);
    day = new OutageDay(console, {
      transports: book.transports,
      takeCallers: book.takeCallers,
      settings: {
        ...{ PUMPING_GUARD: 'record', CODE_LIMITS: `${String(BOUND)}/10m,20/24h`, DEFAULT_COUNTRY: 'TR' },
        QUIET_HOURS: '21:00-07:30',
      },
    });
    // Pages reuse what they have counted for some of the real time.
    const real = performance.now.bind(performance);
    const begin = console.now;
    isLater = jest.spyOn(performance, 'now').mockImplementation(() => real() + console.now - begin);
    await day.start();
  });
  afterEach(async () => {
    await day.stop();
    isLater.mockRestore();
  });

  const ask = async (phone: string, code: string, caller: string): Promise<void> => {
    const { now: createdAt } = console;
    const asked = { code, phone, caller, createdAt, expiresAt: createdAt + 5 * MINUTE };
    const { accepted, refused } = book.asks(phone, caller);
    const { kind } = await day.delivery.acceptCode(asked);
    if (kind === 'stored') accepted();
    else refused();
  };
  /** Names of the alerts so far. */
  const met = new Set<string>();
  /** Figures that were found to lead to as many messages. */
  let linked = 0;
  let numbers = 0;
  const newNumber = (): string => {
    numbers += 1;
    return `+9053${String(numbers % 10)}${String(2_000_000 + numbers * 7919).slice(0, 7)}`;
  };

  /** Lets happen what belongs to a step of the day. */
  const happen = async (step: number): Promise<void> => {
    const at = step % STEPS;
    book.doing =
      at >= 20 && at < 24
        ? 'refuses some'
        : at >= 40 && at < 43
          ? 'has no credit'
          : at === 60 || at === 61
            ? 'asks for pauses'
            : 'takes';
    for (let code = 0; code < 3; code += 1) await ask(newNumber(), '1', code === 0 ? 'portal' : 'app');
    if (at === 30) for (let code = 0; code < BOUND + 2; code += 1) await ask(GREEDY, String(code), 'app');
    if (at >= 80 && at < 82)
      for (let code = 0; code < 15; code += 1)
        await ask(`+99290000${String(1000 + at * 20 + code)}`, '1', 'app');
    if ([3, 50, 75, 120].includes(at)) {
      await console.store.messages.enqueue({
        ...{ channel: 'mark', recipient: '1A', school: SCHOOL, note: 'N1', payload: { note: 'N1' } },
        ...{ dedupeKey: null, caller: 'portal', createdAt: console.now, expiresAt: console.now + 24 * HOUR },
      });
      book.sendsNote('portal');
      day.delivery.wake('mark');
    }
    await day.settle();
  };

  it('has no figure that the stand-ins do not have', async () => {
    const begin = console.now;
    for (let step = 0; step < STEPS; step += 1) {
      await happen(step);
      for (const passing of [5 * MINUTE, STEP - 5 * MINUTE]) {
        await day.pass(passing);
        book.looks();
      }
      await day.handOver();
      const hours = ((console.now - begin) / HOUR).toFixed(1);
      await holdAlerts(`after ${hours} h`);
      if (step % 3 === 0) await holdOverview(`after ${hours} h`);
      if (step % 9 === 6) await holdLinks(`after ${hours} h`);
    }
    expect([...met].toSorted()).toEqual([...DAYS_ALERTS].toSorted());
    await holdPages();
    expect(linked).toBeGreaterThan(50);
  }, 120_000);

  const settings = readSettings({ ...SETTINGS, DATABASE_URL: 'sqlite:none' }, '');
  async function holdAlerts(where: string): Promise<void> {
    const node = { name: 'n', version: '1', folder: '', metrics: { registry: console.registry } };
    const found = { config: settings.config, findings: [] };
    const alerts = activeAlerts(await readSnapshot(console.store, node, found, console.now));
    for (const alert of alerts) {
      met.add(alert.rule.name);
      const text = `${englishText(alert.summary)}: ${englishText(alert.description)}`;
      expect(`${where}: ${text}`).toBe(`${where}: ${expectedText(alert, text)}`);
    }
  }

  /** Returns the text that the book gives an alert. @throws for an alert that this day does not have */
  function expectedText({ rule }: Alert, text: string): string {
    const { now } = console;
    const { messages, holdSince = 0, holdUntil = 0 } = book;
    const codes = messages.filter(({ channel }) => channel === 'sms');
    const waiting = codes.filter(({ state }) => state === 'queued').length;
    const age = (from: number, to = now): string => englishText(duration(to - from));
    switch (rule.name) {
      case 'AccountRefused':
        return `okulsms refuses the account (12: no credit left): Nothing has been sent over sms for ${age(holdSince)}; messages waiting: ${String(waiting)}.`;
      case 'HoldEnded':
        return `okulsms refused the account (12: no credit left) for ${age(holdSince, holdUntil)}: It ended ${age(holdUntil)} ago. Codes that waited longer than they are valid have expired.`;
      case 'CodesFail': {
        const ended = codes.filter(({ state, endedAt }) => state !== 'queued' && endedAt > now - 10 * MINUTE);
        const numbers = (some: readonly Noted[]): number => new Set(some.map(({ to }) => to)).size;
        const held = ended.filter(({ isHeld }) => isHeld);
        const others = ended.filter(({ isHeld }) => !isHeld);
        const failed = others.filter(({ state }) => state !== 'sent');
        const isAlone = numbers(failed) > 2;
        const summary = 'Codes are not delivered';
        if (!isAlone)
          return `${summary}: ${String(held.length)} codes to ${String(numbers(held))} numbers expired in the last 10 minutes while they were held.`;
        const without =
          held.length === 0
            ? ''
            : `, not counting the ${String(held.length)} that expired while they were held`;
        return `${summary}: ${share(failed.length, others.length)} codes to ${String(numbers(failed))} of ${String(numbers(others))} numbers failed or expired in the last 10 minutes${without}.`;
      }
      case 'CodesUndelivered': {
        const reported = codes.filter(({ receipt }) => receipt !== undefined);
        const lost = reported.filter(({ receipt }) => receipt === 'undelivered');
        return `Many SMS of the gateway okulsms do not arrive: ${share(lost.length, reported.length)} of the SMS with a receipt within 24 hours were not delivered.`;
      }
      case 'CodesGoAstray': {
        const [, area = '', end = ''] = /went to TJ (\d+): Noticed (.*) ago/.exec(text) ?? [];
        const sent = codes
          .filter(({ to }) => to.startsWith(`+992${area}`))
          .map(({ acceptedAt }) => acceptedAt);
        // The guard notices the twelfth of an hour.
        const noticed = sent[11] ?? 0;
        expect(end).toBe(age(noticed));
        return `Unusually many codes went to TJ ${area}: Noticed ${end} ago: 12 codes in the 24 hours before, more than usual. This may be SMS pumping fraud.`;
      }
      default:
        return 'nothing: the test has no figure for it';
    }
  }

  /** Holds the tiles and the reasons of failures of the overview against the book. */
  async function holdOverview(where: string): Promise<void> {
    const text = plain((await console.get('/')).text);
    const { now } = console;
    const count = (isWanted: (message: Noted) => boolean, ms: number): string =>
      String(book.count(isWanted, now - ms));
    const all = (): boolean => true;
    const isIn =
      (...states: readonly string[]) =>
      ({ state }: Noted): boolean =>
        states.includes(state);
    const [lost, arrived] = ['undelivered', 'delivered'].map((wanted) =>
      count(({ receipt }) => receipt === wanted, DAY),
    );
    const tiles = [
      `Accepted ${count(all, HOUR)} in the last hour ${count(all, DAY)} in the last 24 hours`,
      `Sent ${count(isIn('sent'), HOUR)} in the last hour ${count(isIn('sent'), DAY)} in the last 24 hours` +
        (arrived === '0' ? '' : `, ${arrived ?? ''} delivered`) +
        (lost === '0' ? '' : `, ${lost ?? ''} not delivered`),
      `Failed ${count(isIn('failed', 'expired'), HOUR)} in the last hour ${count(isIn('failed', 'expired'), DAY)} in the last 24 hours`,
      `Waiting ${count(isIn('queued'), DAY)} now`,
    ];
    expect(`${where}: ${/Accepted .* Waiting \d+ now/.exec(text)?.[0] ?? text}`).toBe(
      `${where}: ${tiles.join(' ')}`,
    );
    const groups = [...text.matchAll(/(\d+) × (SMS|push): (.*?)(?=\.|:)/g)].map(
      ([, messages = '', noun = '', why = '']) => [Number(messages), noun, why] as const,
    );
    const failed = groups.filter(([, , why]) => why !== 'accepted by the gateway, but not delivered');
    const ofNoun = (noun: string): number =>
      failed.filter(([, each]) => each === noun).reduce((sum, [messages]) => sum + messages, 0);
    const isFailed = isIn('failed', 'expired');
    expect(`${where}: ${String([ofNoun('SMS'), ofNoun('push')])}`).toBe(
      `${where}: ${String([
        book.count((message) => message.channel === 'sms' && isFailed(message), now - DAY),
        book.count((message) => message.channel === 'push' && isFailed(message), now - DAY),
      ])}`,
    );
  }

  /** Holds each figure that leads to a list against the messages in it. */
  async function holdLinks(where: string): Promise<void> {
    const figures = await followFigures(console);
    for (const { query, shown, messages } of figures)
      expect(`${where}: ${String(messages)} of ${query}`).toBe(`${where}: ${String(shown)} of ${query}`);
    linked += figures.length;
  }

  /** Holds what the pages about people, schools and months count against the book. */
  async function holdPages(): Promise<void> {
    const page = async (path: string): Promise<string> => plain((await console.get(path)).text);
    const lines = (text: string): number => [...text.matchAll(/\d\d:\d\d:\d\d (?:sent|refused) ?/g)].length;
    const { headers } = await console.post('/find', { text: GREEDY });
    const ofNumber = await page(headers.get('location') ?? '');
    expect(lines(ofNumber)).toBe(book.count(({ to }) => to === GREEDY) + 1);
    expect(ofNumber).toContain(`more than ${String(BOUND)} codes in 10 minutes (2 times until`);
    const school = `school=${encodeURIComponent(SCHOOL)}`;
    if ('people' in FEATURES) {
      const messagesOn = async (path: string): Promise<number> => {
        const { text } = await console.get(path);
        return new Set(text.match(/href="\/messages\/[\da-f-]{36}"/g)).size;
      };
      expect(await messagesOn(`/schools/note?${school}&id=N1`)).toBe(book.notes.length);
      expect(await messagesOn(`/schools/student?${school}&id=S1`)).toBe(
        book.count(({ to }) => to === TOKENS[0]),
      );
      const ofClass = await page(`/schools/class?${school}&id=1A`);
      // Without a device are S3, whose token is empty, and S33.
      expect(ofClass).toContain(`Students ${String(TOKENS.length + 2)} Without a device 2 `);
      for (const [caller, { accepted, refused }] of book.calls) {
        const text = await page(`/callers/caller?name=${caller}`);
        const requests = accepted + refused;
        expect(text).toContain(`days ${String(requests)} Failed requests ${String(refused)} `);
      }
    }
    if ('usage' in FEATURES) {
      const text = await page('/usage');
      for (const channel of ['sms', 'push']) {
        const of = (...states: readonly string[]): number =>
          book.count((message) => message.channel === channel && states.includes(message.state));
        const [all, sent, failed, expired] = [
          of('sent', 'failed', 'expired'),
          ...['sent', 'failed', 'expired'].map((state) => of(state)),
        ].map(String);
        const parts = channel === 'sms' ? sent : '0';
        // Messages, sent, written, partly, failed, expired, suppressed, waiting, SMS.
        expect(text).toContain(
          ` ${channel} ${[all, sent, 0, 0, failed, expired, 0, 0, parts].map(String).join(' ')} `,
        );
      }
    }
  }
});

/** Returns a share such as `1 of 3 (33%)`. */
function share(part: number, all: number): string {
  return `${String(part)} of ${String(all)} (${String(Math.round((part / all) * 100))}%)`;
}
