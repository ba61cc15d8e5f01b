// A gateway that runs out of credit in the middle, as helpdesk and operator see it while it lasts and afterwards.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { serviceAccount, writeGatewaysFile } from '../../../scripts/harness/delivery';
import { describeInBrowser, problemsOnScreens, SCREENS, takeScreenshot } from '../../harness/browser';
import { useFolder } from '../../harness/use-folder';
import { OutageDay } from './outage-day';
import { spoken } from './spoken';
import { useConsole } from './use-console';

const folder = useFolder();
const account = join(folder, 'account.json');
writeFileSync(account, JSON.stringify(serviceAccount()));

const NUMBERS = 5;
/** Minutes of the outage: a code expires after five. */
const MINUTES = 7;
/** Minutes at which the pages are looked at: the first, and those around the first end of a code. All: outage.test.ts. */
const LOOKS: readonly number[] = [1, 5, 6, MINUTES];

/** Lists what the pages say in each language: during the outage, and when it is over. */
const SAID = {
  en: {
    cause: /okulsms refuses the account \(12: no credit left\)/,
    waiting:
      /waiting: okulsms refuses the account \(12: no credit left\) since \d\d:\d\d; expires \d\d:\d\d:\d\d/,
    message:
      /Waiting: okulsms refuses the account \(12: no credit left\) since \d\d:\d\d\. Expires \d\d:\d\d:\d\d\./,
    well: /Running, with notices|All systems normal/,
    over: /okulsms refused the account \(12: no credit left\) for \d+ min/,
    expired: /Expired while okulsms refused the account \(12: no credit left\), \d\d:\d\d to \d\d:\d\d/,
    never: /quiet hours|Check that a worker runs|due now|expired: Expired/,
  },
  tr: {
    cause: /okulsms hesabı reddediyor \(12: kredi bitti\)/,
    waiting:
      /bekliyor: okulsms hesabı reddediyor \(12: kredi bitti\), başlangıç \d\d:\d\d; geçerlilik sonu \d\d:\d\d:\d\d/,
    message:
      /Bekliyor: okulsms hesabı reddediyor \(12: kredi bitti\), başlangıç \d\d:\d\d\. Geçerlilik sonu: \d\d:\d\d:\d\d\./,
    well: /Çalışıyor|Her şey yolunda|Tüm sistemler/,
    over: /okulsms hesabı \d+ dk(?: \d+ sn)? boyunca reddetti \(12: kredi bitti\)/,
    expired: /okulsms hesabı reddederken \(12: kredi bitti\) süresi doldu, \d\d:\d\d–\d\d:\d\d/,
    never: /sessiz saat|sırası geldi|süresi doldu: /,
  },
} as const;

describeInBrowser('an outage of the gateway', (browser) => {
  const console = useConsole('sqlite', {
    ...{ SMS_CHANNEL: 'http', PUSH_CHANNEL: 'fcm', FCM_SERVICE_ACCOUNT: account },
    GATEWAYS_FILE: writeGatewaysFile(folder, { url: 'http://127.0.0.1:9/' }),
  });

  it('is named in all languages and widths, before and after codes expire, and nothing else is', async () => {
    const day = new OutageDay(console);
    await day.start();
    try {
      const tabs = await Promise.all(
        spoken('en', 'tr').map(async (language) => ({
          ...{ language, said: SAID[language] },
          ...(await browser.open({ ...SCREENS[0][1], locale: language })),
        })),
      );
      for (let code = 0; code < NUMBERS; code += 1) await day.sendCode();
      await day.settle();
      await day.minute();
      day.doing = 'has no credit';
      for (let minute = 1; minute <= MINUTES; minute += 1) {
        const phones: string[] = [];
        for (let code = 0; code < NUMBERS; code += 1) phones.push(await day.sendCode());
        await day.settle();
        await day.minute();
        if (LOOKS.includes(minute)) for (const tab of tabs) await holdOutage(tab, phones, minute);
      }
      const [lost] = await console.store.deliveries.list({ state: 'expired' }, 1);
      day.doing = 'takes';
      await day.minute();
      await day.minute();
      for (const { page, language, said, complaints } of tabs) {
        await page.goto(console.origin);
        for await (const overview of textsOf(page)) {
          expect(overview).toMatch(said.over);
          expect(overview).not.toMatch(said.cause);
          expect(overview).not.toMatch(said.never);
        }
        await takeScreenshot(page, `outage-over-${language}`);
        await search(page, lost?.recipient ?? '');
        for await (const found of textsOf(page)) {
          expect(found).toMatch(said.expired);
          expect(found).not.toMatch(said.never);
        }
        expect(complaints).toEqual([]);
      }
    } finally {
      await day.stop();
    }
  }, 300_000);

  type Tab = Awaited<ReturnType<typeof browser.open>> & {
    readonly language: keyof typeof SAID;
    readonly said: (typeof SAID)[keyof typeof SAID];
  };

  /** Holds overview, five numbers and one message against the refused account. */
  async function holdOutage(tab: Tab, phones: readonly string[], minute: number): Promise<void> {
    const { page, language, said } = tab;
    await page.goto(console.origin);
    for await (const overview of textsOf(page)) {
      expect(overview).toMatch(said.cause);
      expect(overview).not.toMatch(said.never);
    }
    // The cause is the first of the findings.
    expect(await page.locator('.findings > li').first().innerText()).toMatch(said.cause);
    const [shown = '', ...others] = phones;
    for (const phone of others) expect(await firstLineOf(page, phone)).toMatch(said.waiting);
    await search(page, shown);
    const first = '.timeline > li:not(.day)';
    for await (const line of textsOf(page, first)) expect(line).toMatch(said.waiting);
    await page.locator(`${first} a`).first().click();
    for await (const lead of textsOf(page, '#content .lead')) expect(lead).toMatch(said.message);
    for await (const whole of textsOf(page)) expect(whole).not.toMatch(said.never);
    if (minute !== MINUTES) return;
    expect(await problemsOnScreens(page, `outage-message-${language}`)).toEqual([]);
    await page.goto(console.origin);
    expect(await problemsOnScreens(page, `outage-overview-${language}`)).toEqual([]);
  }

  /** Returns the first line about a number, from a page that is read and not shown. */
  async function firstLineOf(page: Tab['page'], phone: string): Promise<string> {
    const line = await page.evaluate<string>(`(async () => {
      const { value: token } = document.querySelector('form.search [name=token]');
      const body = new URLSearchParams({ token, text: '${phone}' });
      const text = await (await fetch('/find', { method: 'POST', body })).text();
      const { body: found } = new DOMParser().parseFromString(text, 'text/html');
      return found.querySelector('.timeline > li:not(.day)').textContent;
    })()`);
    return line.replaceAll(/\s+/g, ' ');
  }

  async function search(page: Tab['page'], phone: string): Promise<void> {
    await page.keyboard.press('/');
    await page.keyboard.type(phone);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/messages\?phone=/);
  }

  /** Yields the text of the first element that a selector finds, on a phone and on a desk. */
  async function* textsOf(page: Tab['page'], selector = '#content'): AsyncGenerator<string> {
    for (const [, { viewport }] of SCREENS.toReversed()) {
      await page.setViewportSize(viewport);
      yield (await page.locator(selector).first().innerText()).replaceAll(/\s+/g, ' ');
    }
  }
});
