// The operator's console, seen in a browser.

import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { describeInBrowser, excessOf, problemsOnScreens, REBOUND_HOST, SCREENS } from '../../harness/browser';
import { LANGUAGES } from '../../../src/admin/texts/words';
import { passwordOf, writeUsers } from '../login/users';
import { failMessages } from './fail-messages';
import { useFolder } from '../../harness/use-folder';
import { FEATURE_ACTION_LOG } from '../../../src/features/feature';
import { exampleFeatures, readFeaturePages } from './feature-pages';
import { useConsole } from './use-console';

const SCHOOL = 'http://school.example';
const MINUTE = 60_000;

const folder = useFolder();
const USERS = join(folder, 'users.json');
writeUsers(USERS);

describeInBrowser('the console in a browser', (browser) => {
  const console = useConsole('sqlite', {}, exampleFeatures());
  const guarded = useConsole('sqlite', { ADMIN_USERS_FILE: USERS });
  let failed = '';
  let note = '';
  let numbered = '';
  let opened = 0;
  beforeEach(() => {
    console.now = opened;
  });

  beforeAll(async () => {
    opened = console.now;
    const now = Math.floor(console.now / MINUTE) * MINUTE;
    const enqueue = (recipient: string) =>
      console.store.messages.enqueue({
        ...{ channel: 'push', recipient, school: SCHOOL, payload: { note: 'N1' }, dedupeKey: null },
        ...{ createdAt: now - 1000, expiresAt: now + 86_400_000 },
      });
    failed = await enqueue('DEV-1');
    await failMessages(console.store, {
      channel: 'push',
      reason: { code: 'sender_mismatch' },
      now,
      limit: 1,
    });
    for (let count = 2; count < 60; count += 1) await enqueue(`DEV-${String(count)}`);
    await console.store.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905551230099', school: '', payload: { code: '1' }, dedupeKey: null },
      ...{ createdAt: now - 2000, expiresAt: now + 300_000 },
    });
    await failMessages(console.store, {
      ...{ channel: 'sms', now },
      reason: {
        code: 'account_stopped',
        status: 200,
        detail: '30',
        meaning: 'wrong user',
        gateway: 'netgsm',
      },
    });
    await console.store.write(({ refusals }) =>
      refusals.record([
        {
          ...{ phone: '+905551230099', reason: 'ten_minutes', bound: 5, times: 3 },
          ...{ firstAt: now - 3 * MINUTE, lastAt: now - MINUTE },
        },
      ]),
    );
    numbered = (await console.post('/find', { text: '05551230099' })).headers.get('location') ?? '';
    note = await console.store.messages.enqueue({
      ...{ channel: 'mark', recipient: '1A', school: 'http://village.example', payload: { note: 'N1' } },
      dedupeKey: null,
      ...{ createdAt: now - 3000, expiresAt: now + 300_000, note: 'N1' },
    });
    await failMessages(console.store, { channel: 'mark', reason: { code: 'no_devices' }, now });
    await console.store.imports.record({
      at: now,
      isGood: false,
      ...{ state: '', filesAt: now },
      report: `students.csv line 3: ${'a very long value '.repeat(20)}`,
    });
    for (const [who, action, detail] of [
      ['anna', 'log-in', {}],
      ['node-1', 'cutover', { AuthCode: 'old', GetNote: 'shadow' }],
      ['unknown', 'log-in refused', { reason: 'wrong' }],
      ['anna', 'cancel', { messages: 3, school: `${SCHOOL}/a-long-path/${'x'.repeat(80)}` }],
      ['command line', 'forget', { by: 'phone', messages: 2 }],
    ] as const)
      await FEATURE_ACTION_LOG?.record(console.store, { at: now, who, action, detail });
    const at = (minute: number): number => now - (20 - minute) * MINUTE;
    const of = (
      figure: 'settled' | 'sent' | 'requests',
      minute: number,
      count: number,
      ...labels: string[]
    ) => ({
      ...{ at: at(minute), figure, labels, count },
    });
    const counts = Object.entries({ 0: 3, 1: 5, 3: 8 }).flatMap(([minute, sent]) => [
      of('settled', Number(minute), sent, 'push', 'sent'),
      of('sent', Number(minute), sent, 'push', '0.5'),
      of('requests', Number(minute), sent, 'AuthCode', 'soap11', 'ok'),
    ]);
    const caller = {
      caller: 'portal',
      address: undefined,
      agent: 'dotnet',
      operation: 'AuthCode',
      binding: 'soap11',
      outcome: 'ok',
    };
    await console.store.stats.add(
      [...counts, of('settled', 19, 2, 'sms', 'failed')],
      [{ ...caller, at: now, requests: 7 }],
      now,
    );
  });

  const PAGES = [
    ['overview', () => '/'],
    ['messages', () => '/messages?channel=push'],
    ['message', () => `/messages/${failed}`],
    ['note', () => `/messages/${note}`],
    ['number', () => numbered],
    ['messages-error', () => '/messages?newer-than=soon'],
    ['requests', () => '/requests'],
    ['requests-error', () => '/requests?from=yesterday'],
    ['schools', () => '/schools'],
    ['school', () => `/schools/school?url=${encodeURIComponent('http://school.example')}`],
    ['callers', () => '/callers'],
    ['settings', () => '/settings'],
    ['missing', () => '/nothing/here'],
    ...readFeaturePages().flatMap(({ screens }) =>
      screens.map(([name, path]) => [name, () => path] as const),
    ),
  ] as const;

  /** Pages that answer a form, which is sent from a page of the console. */
  const ANSWERS: readonly (readonly [name: string, from: string, send: (page: Page) => Promise<void>])[] = [
    [
      'question',
      '/messages?channel=push&state=queued',
      (page) => page.getByRole('button', { name: 'Cancel all …' }).click(),
    ],
    ['found-nothing', '/', (page) => search(page, 'no such thing')],
    ['found-several', '/', (page) => search(page, '1A')],
  ];
  const search = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
  };

  /** Shows a page at further widths, and returns those at which it scrolls sideways. */
  const tooWide = async (page: Page): Promise<readonly string[]> => {
    const wide: string[] = [];
    for (const width of [1280, 400, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const excess = await excessOf(page);
      if (excess > 0) wide.push(`${String(excess)} px at ${String(width)} px`);
    }
    return wide;
  };

  it.each(PAGES)('the page %s loads without errors, fits and is accessible', async (name, path) => {
    const { page, complaints, requests } = await browser.tab(SCREENS[0][1]);
    await page.goto(console.origin + path());
    expect(await tooWide(page)).toEqual([]);
    expect(await problemsOnScreens(page, `console-${name}`)).toEqual([]);
    const hosts = requests.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin);
    expect([...new Set(hosts)]).toEqual([console.origin]);
    // A browser notes that a page was answered with an error.
    expect(complaints.filter((text) => !/ status of 40[04] /.test(text))).toEqual([]);
  });

  it.each(ANSWERS)('the result page %s fits and is accessible', async (name, from, send) => {
    const { page } = await browser.tab(SCREENS[0][1]);
    await page.goto(console.origin + from);
    await send(page);
    await page.waitForURL((url) => !`${url.pathname}${url.search}`.endsWith(from));
    expect(await problemsOnScreens(page, `console-${name}`)).toEqual([]);
  });

  it('aligns the heads of a table with its columns', async () => {
    const { page } = await browser.tab(SCREENS[0][1]);
    await page.goto(`${console.origin}/schools`);
    const lefts = async (row: string) =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('table.cards ${row} > *')].map((cell) => cell.getBoundingClientRect().left)`,
      );
    expect(await lefts('tbody tr:first-child')).toEqual(await lefts('thead tr'));
    const [name, logOut] = await Promise.all(
      ['.user span', '.user form'].map((part) => page.locator(part).boundingBox()),
    );
    expect(logOut?.x).toBeGreaterThan((name?.x ?? 0) + (name?.width ?? 0));
  });

  it.each(SCREENS)('gives the fields of a form the same height on %s', async (_screen, options) => {
    const { page } = await browser.tab(options);
    for (const path of ['/messages', ...readFeaturePages().flatMap(({ forms = [] }) => forms)]) {
      await page.goto(console.origin + path);
      await page.evaluate("document.querySelector('details.filter')?.setAttribute('open', '')");
      const heights = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.field :is(input:not([type=checkbox]), select)')].map((field) => field.getBoundingClientRect().height)`,
      );
      expect(heights.length).toBeGreaterThan(1);
      expect(new Set(heights).size).toBe(1);
    }
  });

  it('scrolls no page sideways in another language', async () => {
    const wide: unknown[] = [];
    for (const { tag: locale } of LANGUAGES.filter(({ tag }) => tag !== 'en')) {
      const { page } = await browser.tab({ locale });
      for (const [name, path] of PAGES) {
        await page.goto(console.origin + path());
        wide.push(...(await tooWide(page)).map((problem) => [locale, name, problem]));
      }
    }
    expect(wide).toEqual([]);
  });

  /** Returns where the last of some elements ends, or the first begins, in pixels below the top of the page. */
  const placeOf = (page: Page, selector: string, edge: 'first top' | 'last bottom') =>
    page.evaluate<number>(
      edge === 'first top'
        ? `document.querySelector('${selector}').getBoundingClientRect().top`
        : `[...document.querySelectorAll('${selector}')].at(-1).getBoundingClientRect().bottom`,
    );

  it.each(LANGUAGES)(
    'shows state, causes and failures in the first screen, in $name',
    async ({ tag: locale }) => {
      const { page } = await browser.tab({ viewport: { width: 1280, height: 800 }, locale });
      await page.goto(console.origin);
      expect(await page.locator('.sides > section').count()).toBe(2);
      expect(await placeOf(page, '.sides > section', 'last bottom')).toBeLessThan(800);
      expect(await page.locator('figure[data-plot]').count()).toBe(1);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1600);
    },
  );

  it.each(LANGUAGES)(
    'fits six alerts into the first screen, what to do folded, in $name',
    async ({ tag: locale }) => {
      const { page } = await browser.tab({ viewport: { width: 1280, height: 900 }, locale });
      const figure = (name: 'settled' | 'requests', count: number, ...labels: string[]) => ({
        ...{ at: opened - 2 * MINUTE, figure: name, labels, count },
      });
      const [failed, rejected] = [
        figure('requests', 9, 'AuthCode', 'soap11', 'server_error'),
        figure('requests', 120, 'GetTokenDevice', 'soap11', 'client_error'),
      ];
      const stats = [failed, rejected, figure('settled', 120, 'push', 'failed')];
      await console.store.stats.add(stats, [], opened);
      await page.goto(console.origin);
      const alerts = page.locator('.sides > section:first-child .findings > li');
      expect(await alerts.count()).toBeGreaterThanOrEqual(6);
      expect(await placeOf(page, '.sides > section', 'last bottom')).toBeLessThan(900);
      const [first, second] = [alerts.nth(0).locator('details p'), alerts.nth(1).locator('details p')];
      expect([await first.first().isVisible(), await second.first().isVisible()]).toEqual([true, false]);
      await alerts.nth(1).locator('summary').click();
      expect(await second.first().isVisible()).toBe(true);
    },
  );

  it.each(LANGUAGES)(
    'shows the first message of a list high on a phone, in $name',
    async ({ tag: locale }) => {
      const { page } = await browser.tab({ viewport: { width: 400, height: 800 }, locale });
      for (const path of ['/messages', '/messages?channel=push&state=failed_or_expired', numbered]) {
        await page.goto(console.origin + path);
        const place = await placeOf(page, '#list :is(tbody tr, .timeline li)', 'first top');
        expect(`${path.slice(0, 20)} ${place < 300 ? 'high' : String(place)}`).toMatch(/high$/);
      }
    },
  );

  it('shows no empty cells in cards, which line up', async () => {
    const { page } = await browser.tab({ viewport: { width: 400, height: 740 } });
    await page.goto(`${console.origin}/migration`);
    const lefts = await page.evaluate<number[]>(
      `[...document.querySelectorAll('table.cards tbody td:not(.wide)')].map((cell) => parseFloat(getComputedStyle(cell).paddingLeft))`,
    );
    expect(new Set(lefts)).toEqual(new Set([0]));
  });

  it('finds, opens and retries a message, and cancels all that were found', async () => {
    const { page, complaints } = await browser.tab();
    await page.goto(console.origin);
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await page.getByText('Find messages').click();
    await page.getByLabel('State').selectOption('failed');
    await page.getByLabel(/^School/).fill(SCHOOL);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.locator('table.list tbody th a').click();
    expect(await page.getByText('Check FCM_SERVICE_ACCOUNT').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Retry …' }).click();
    expect(await page.getByText('1 message: 1 push message.').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Retry' }).click();
    expect(await page.getByText('1 message queued again.').isVisible()).toBe(true);

    await page.goto(`${console.origin}/messages?state=queued&school=${SCHOOL}`);
    await page.getByRole('button', { name: 'Cancel all …' }).click();
    expect(await page.getByText('59 messages of the last 24 hours: 59 push messages.').isVisible()).toBe(
      true,
    );
    await page.getByRole('button', { name: 'Cancel 59 messages' }).click();
    expect(await page.getByText('59 messages cancelled.').isVisible()).toBe(true);
    expect(console.recorded).toEqual([
      { action: 'retry', messages: 1, id: failed },
      { action: 'cancel', messages: 59, state: 'queued', school: SCHOOL },
    ]);
    expect(complaints).toEqual([]);
  });

  it('opens a message with the keyboard alone', async () => {
    const { page } = await browser.tab();
    await page.goto(console.origin);
    await page.keyboard.press('/');
    await page.keyboard.type(failed);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${console.origin}/messages/${failed}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Message');
  });

  it('shows times of the last day as ages, and the exact time on hover', async () => {
    const { page } = await browser.tab();
    const school = 'http://ages.example';
    await console.store.messages.enqueue({
      ...{ channel: 'push', recipient: 'DEV-1', school, payload: {}, dedupeKey: null },
      ...{ createdAt: Date.now() - 4.5 * MINUTE, expiresAt: Date.now() + MINUTE },
    });
    await page.goto(`${console.origin}/messages?newer-than=any&school=${school}`);
    const time = page.locator('table.list tbody time');
    expect(await time.textContent()).toBe('4 min ago');
    expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  it('updates itself over one stream, which ends with the page', async () => {
    const { page, requests } = await browser.open();
    await page.goto(`${console.origin}/messages/${failed}`);
    await console.store.deliveries.retry({ ids: [failed] }, console.now);
    await page.locator('#story').getByText('queued').first().waitFor();
    expect(requests.filter((url) => url.includes('/live'))).toHaveLength(1);
    await page.close();
  });

  it('the login page fits and is accessible', async () => {
    const { page } = await browser.tab(SCREENS[0][1]);
    await page.goto(`${guarded.origin}/callers`);
    await page.getByLabel('Password').waitFor();
    for (const [, { viewport }] of SCREENS.toReversed()) {
      await page.setViewportSize(viewport);
      const [card, ...controls] = await Promise.all(
        ['.card', '#name', '#password', 'button'].map((part) => page.locator(part).boundingBox()),
      );
      expect((card?.x ?? 0) * 2 + (card?.width ?? 0)).toBeCloseTo(viewport.width);
      expect(new Set(controls.map((box) => `${String(box?.width)} ${String(box?.height)}`)).size).toBe(1);
    }
    expect(await problemsOnScreens(page, 'console-log-in')).toEqual([]);
  });

  it('asks for a name and password if there are users, and remembers the login', async () => {
    const { page, complaints } = await browser.open();
    const logIn = async (name: string, password: string): Promise<void> => {
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    await page.goto(`${guarded.origin}/callers`);
    await logIn('ben', 'wrong');
    expect(await page.getByLabel('Password').isVisible()).toBe(true);
    await logIn('ben', passwordOf('ben'));
    await page.waitForURL(`${guarded.origin}/callers`);
    expect(await page.getByText('ben (viewer)').isVisible()).toBe(true);
    await page.goto(`${guarded.origin}/messages?school=${SCHOOL}`);
    expect(await page.getByRole('button', { name: /all of these/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    // The wrong password was refused, and the stream of the page was cut off when the session ended.
    expect(complaints.filter((text) => !/40[13]|ERR_INCOMPLETE_CHUNKED_ENCODING/.test(text))).toEqual([]);
  });

  it('rejects a form from another page, and a host name that was rebound to its address', async () => {
    const { page } = await browser.open();
    const host = new URL(guarded.origin).host;
    await page.goto('about:blank');
    await page.setContent(`<form method="post" action="${console.origin}/messages/change">
      <input name="action" value="cancel"><input name="id" value="${failed}"><input name="token" value="guessed"><button>Win</button></form>`);
    await page.getByRole('button', { name: 'Win' }).click();
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    const rebound = await page.goto(`http://${REBOUND_HOST}:${host.split(':')[1] ?? ''}/`);
    expect(rebound?.status()).toBe(403);
  });
});
