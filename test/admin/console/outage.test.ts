// Sixty minutes of a school in which one thing after another fails, and pages that must not say anything else.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { serviceAccount, writeGatewaysFile } from '../../../scripts/harness/delivery';
import { useFolder } from '../../harness/use-folder';
import { followFigures } from './linked-figures';
import { type Gateway, OutageDay } from './outage-day';
import { useConsole } from './use-console';

const folder = useFolder();
const account = join(folder, 'account.json');
writeFileSync(account, JSON.stringify(serviceAccount()));

/** Lists what the overview says of each cause; the others must not be on the page. */
const CAUSES = {
  account: 'okulsms refuses the account (12: no credit left)',
  failing: 'okulsms is failing (HTTP 503)',
  pause: 'okulsms asks for pauses (HTTP 429)',
  worker: 'No worker is running',
  database: 'cannot use its database',
  numbers: 'odes are not delivered',
} as const;
type Cause = keyof typeof CAUSES;

/** Lists what a waiting code says then, and one that expired. */
const WAITS: Partial<Record<Cause, string>> = {
  account: 'okulsms refuses the account (12: no credit left) since',
  failing: 'okulsms has been failing (HTTP 503) since',
  pause: 'okulsms asked for a pause (HTTP 429) at',
  worker: 'no worker has been running since',
};
const EXPIRED: Partial<Record<Cause, string>> = {
  account: 'Expired while okulsms refused the account (12: no credit left)',
  failing: 'Expired while okulsms was failing (HTTP 503)',
  worker: 'Expired while no worker was running',
  database: 'Expired while the database was not responding',
};

/** Lists sentences that are false at each minute: codes have no quiet hours, and nothing here is out of credit but once. */
const escaped = (text: string): string => text.replaceAll(/[()]/g, String.raw`\$&`);

const NEVER = [
  'quiet hours',
  'Check that a worker runs',
  'SMS_CONCURRENCY',
  'Trial mode',
  'NaN',
  'undefined',
];

/** Parts of the hour: what fails, and what the gateway does. The last but one has two causes at once. */
const PLAN: readonly (readonly [minutes: number, cause: Cause | undefined, gateway: Gateway])[] = [
  [2, undefined, 'takes'],
  [8, 'account', 'has no credit'],
  [2, undefined, 'takes'],
  [7, 'failing', 'is down'],
  [2, undefined, 'takes'],
  [7, 'worker', 'takes'],
  [2, undefined, 'takes'],
  [6, 'database', 'takes'],
  [2, undefined, 'takes'],
  [4, 'pause', 'asks for a pause'],
  [2, undefined, 'takes'],
  [4, 'numbers', 'refuses some'],
  [2, 'account', 'has no credit'],
  [4, 'worker', 'has no credit'],
  [4, 'account', 'has no credit'],
  [2, undefined, 'takes'],
];

describe('sixty minutes with six causes', () => {
  const console = useConsole('sqlite', {
    ...{ SMS_CHANNEL: 'http', PUSH_CHANNEL: 'fcm', FCM_SERVICE_ACCOUNT: account },
    GATEWAYS_FILE: writeGatewaysFile(folder, { url: 'http://127.0.0.1:9/' }),
  });
  let day: OutageDay;
  beforeEach(async () => {
    day = new OutageDay(console);
    await day.start();
  });
  afterEach(() => day.stop());

  const begin = async (cause: Cause | undefined, doing: Gateway): Promise<void> => {
    day.doing = doing;
    day.isDatabaseDown = false;
    if (cause === 'worker') await day.stopWorker();
    else if (!day.hasWorker) await day.startWorker();
    if (cause !== 'database') return;
    // These come just before, and nothing can send them.
    for (let code = 0; code < 4; code += 1) await day.storeCode();
    day.isDatabaseDown = true;
  };
  const plain = (text: string): string =>
    text
      .replace(/^[^]*<main id="content">/, '')
      .replace(/<\/main>[^]*$/, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');
  // Without the plots, which are figures of their own.
  const overview = async (): Promise<string> => (await console.get('/')).text.split('>Activity<')[0] ?? '';
  const timelineOf = async (number: string): Promise<readonly string[]> => {
    const { headers } = await console.post('/find', { text: number });
    const { text } = await console.get(headers.get('location') ?? '');
    const [, list = ''] = /<ol class="timeline card"[^>]*>([^]*?)<\/ol>/.exec(text) ?? [];
    return list
      .split('<li')
      .slice(1)
      .map((each) => plain(`<li${each}`).trim())
      .filter((line) => !/^\d{4}-\d\d-\d\d$/.test(line));
  };

  it('says at each minute what the stand-ins did, and nothing else', async () => {
    let minute = 0;
    const sent: { readonly phone: string; readonly cause: Cause | undefined; readonly at: number }[] = [];
    for (const [minutes, cause, gateway] of PLAN) {
      await begin(cause, gateway);
      for (let passed = 0; passed < minutes; passed += 1) {
        const batch = passed === 0 && cause === 'failing' ? 12 : 5;
        if (cause !== 'database')
          for (let code = 0; code < batch; code += 1) {
            const last = cause === 'numbers' && code < 4 ? `70${String(code)}` : undefined;
            sent.push({ phone: await day.sendCode(last), cause, at: console.now });
          }
        await day.settle();
        await day.minute();
        minute += 1;
        const where = `minute ${String(minute)}, ${cause ?? 'all is well'}`;
        const html = await overview();
        const page = plain(html);
        for (const sentence of NEVER) expect(`${where}: ${page}`).not.toContain(sentence);
        // The first look at a new cause, and the first minutes after it, are its own matter.
        if (cause !== undefined && passed > 0) {
          expect(`${where}: ${page}`).toContain(CAUSES[cause]);
          const [, first = ''] = /<summary>(.*?)<\/summary>/s.exec(html) ?? [];
          expect(`${where}: ${plain(first)}`).toContain(CAUSES[cause]);
          for (const other of Object.keys(CAUSES) as Cause[])
            if (other !== cause && other !== 'numbers')
              expect(`${where}: ${page}`).not.toContain(CAUSES[other]);
        }
        if (cause === 'database') continue;
        if (cause === undefined)
          for (const other of Object.keys(WAITS) as Cause[])
            expect(`${where}: ${page}`).not.toContain(CAUSES[other]);
        // The page reuses what it has counted, for which each of these waits.
        if (passed === minutes - 1) await holdFigures(where, page);
        for (const { phone, cause: then, at } of sent.slice(-5)) {
          const [line = ''] = await timelineOf(phone);
          const message = `${where}: ${line}`;
          if (then !== cause || at > console.now) continue;
          if (cause === undefined) expect(message).toMatch(/sent by okulsms/);
          else if (cause === 'numbers')
            expect(message).toMatch(/7\d\d$/.test(phone) ? /failed ?: .*blacklist/ : /sent by okulsms/);
          else {
            expect(message).toContain(`waiting`);
            // Between two pauses it is due.
            const isBetween = cause === 'pause' && line.includes('due now');
            if (!isBetween) expect(message).toContain(WAITS[cause] ?? '');
          }
        }
      }
    }
    expect(minute).toBe(60);
    // What expired keeps its cause for the rest of the day.
    const ended = await console.store.deliveries.list({ state: 'expired' }, 1000);
    expect(ended.length).toBeGreaterThan(40);
    for (const { recipient } of ended.filter((_, at) => at % 5 === 0)) {
      const then = sent.find(({ phone }) => phone === recipient)?.cause;
      const [line = ''] = await timelineOf(recipient);
      // Codes of the part with two causes name the one that held them longer.
      const both = then === 'account' || then === 'worker' ? (['account', 'worker'] as const) : [];
      const causes = [then ?? 'database', ...both].map((each) => EXPIRED[each] ?? '-');
      expect(`${String(then)}: ${line}`).toMatch(new RegExp(causes.map(escaped).join('|')));
    }
    const figures = await followFigures(console);
    expect(figures.length).toBeGreaterThan(6);
    for (const { query, shown, messages } of figures)
      expect(`${query}: ${String(messages)}`).toBe(`${query}: ${String(shown)}`);
    const [group] =
      /\d+ × SMS: Expired while okulsms refused the account[^.]*\./.exec(plain(await overview())) ?? [];
    expect(group).toMatch(
      /^\d+ × SMS: Expired while okulsms refused the account \(12: no credit left\), \d\d:\d\d to \d\d:\d\d\.$/,
    );
  }, 300_000);

  /** Holds the tiles of the overview against the messages themselves. */
  async function holdFigures(where: string, page: string): Promise<void> {
    const states = await day.states();
    const total = Object.values(states).reduce((sum, count) => sum + count, 0);
    const expected = [
      ['Accepted', total],
      ['Sent', states.sent],
      ['Failed', states.failed + states.expired],
      ['Waiting', states.queued],
    ] as const;
    const [, ...figures] =
      /(\d+) of (\d+) \((\d+)%\) codes to (\d+) of (\d+) numbers failed or expired in the last 10 minutes/.exec(
        page,
      ) ?? [];
    const [, ...lost] = /(\d+) codes to (\d+) numbers expired in the last 10 minutes while/.exec(page) ?? [];
    const { failed, held } = await failedCodes();
    if (figures.length > 0) expect(`${where}: ${figures.join()}`).toBe(`${where}: ${failed.join()}`);
    if (lost.length > 0) expect(`${where}: ${lost.join()}`).toBe(`${where}: ${held.join()}`);
    const [, waiting = String(states.queued)] = /messages waiting: (\d+)/.exec(page) ?? [];
    expect(`${where}: ${waiting}`).toBe(`${where}: ${String(states.queued)}`);
    // The page reuses an answer of the database for a moment.
    let shown = '';
    const isSame = async (): Promise<boolean> => {
      const text = plain(await overview());
      shown = expected
        .map(([name]) => `${name} ${new RegExp(`${name} (\\d+)`).exec(text)?.[1] ?? '-'}`)
        .join();
      return shown === expected.map(([name, count]) => `${name} ${String(count)}`).join();
    };
    for (let tries = 0; tries < 200 && !(await isSame()); tries += 1)
      await new Promise((done) => setTimeout(done, 60));
    expect(`${where}: ${shown}`).toBe(
      `${where}: ${expected.map(([name, count]) => `${name} ${String(count)}`).join()}`,
    );
  }

  /** Counts what the alerts about failed codes say, from the messages themselves. */
  async function failedCodes(): Promise<Record<'failed' | 'held', readonly number[]>> {
    const messages = await console.store.deliveries.list({}, 10_000);
    const all = messages.filter(
      ({ state, updatedAt }) => state !== 'queued' && updatedAt > console.now - 10 * 60_000,
    );
    const isHeld = ({ reason }: (typeof all)[number]): boolean =>
      reason?.code === 'expired' && reason.held !== undefined;
    const [held, ended] = [all.filter(isHeld), all.filter((message) => !isHeld(message))];
    const failed = ended.filter(({ state }) => state === 'failed' || state === 'expired');
    const numbers = (some: typeof ended): number => new Set(some.map(({ recipient }) => recipient)).size;
    const share = Math.round((failed.length / ended.length) * 100);
    return {
      failed: [failed.length, ended.length, share, numbers(failed), numbers(ended)],
      held: [held.length, numbers(held)],
    };
  }
});
