import type { Page } from 'playwright-core';

import { useConsole } from '../../admin/console/use-console';
import { describeInBrowser, SCREENS } from '../../harness/browser';

const MINUTE = 60_000;

describeInBrowser('the plots of the overview', (browser) => {
  const console = useConsole('sqlite');
  let opened = 0;
  beforeEach(() => {
    console.now = opened;
  });

  beforeAll(async () => {
    opened = console.now;
    const now = Math.floor(opened / MINUTE) * MINUTE;
    const of = (
      figure: 'settled' | 'sent' | 'requests',
      minute: number,
      count: number,
      ...labels: readonly string[]
    ) => ({ at: now - (20 - minute) * MINUTE, figure, labels, count });
    const counts = Object.entries({ 0: 3, 1: 5, 3: 8 }).flatMap(([minute, sent]) => [
      of('settled', Number(minute), sent, 'push', 'sent'),
      of('sent', Number(minute), sent, 'push', '0.5'),
      of('requests', Number(minute), sent, 'AuthCode', 'soap11', 'ok'),
    ]);
    await console.store.stats.add([...counts, of('settled', 19, 2, 'sms', 'failed')], [], now);
  });

  /** Returns what a plot has been drawn of: a list of times and one for each column, and where a point of it is. */
  const plotted = (page: Page, name: string) =>
    page.evaluate<{ labels: string[]; data: (number | null)[][]; tops: number[] }>(`(() => {
      const { plotted } = document.querySelector('figure[data-plot=${name}]');
      return {
        labels: plotted.series.slice(1).map(({ label }) => label),
        data: plotted.data.map((column) => [...column]),
        tops: plotted.data[1].map((value) => plotted.valToPos(value, 'y')),
      };
    })()`);

  it('plots the stats minute by minute in both color schemes', async () => {
    const { page } = await browser.tab();
    await page.goto(`${console.origin}/?span=1h`);
    const { labels, data, tops } = await plotted(page, 'messages');
    expect(labels).toEqual(['push sent', 'sms failed']);
    const [times = [], sent = [], lost = []] = data;
    expect(times).toHaveLength(60);
    const first = sent.findIndex((value) => value !== 0);
    expect(sent.slice(first, first + 4)).toEqual([3, 5, 0, 8]);
    expect(sent.reduce((sum: number, value) => sum + (value ?? 0), 0)).toBe(16);
    expect(lost.reduce((sum: number, value) => sum + (value ?? 0), 0)).toBe(2);
    // The more, the higher.
    expect(tops[first + 3]).toBeLessThan(tops[first + 1] ?? 0);
    await page.goto(`${console.origin}/?span=1h&view=times`);
    const seconds = await plotted(page, 'times');
    expect(seconds.labels).toEqual(['push median', 'push 99th percentile']);
    expect(seconds.data[1]?.[first]).toBeGreaterThan(0);
    expect(seconds.data[1]?.[first + 2]).toBeNull();
  });

  it('draws failures in red, and aligns the legend', async () => {
    const { page } = await browser.tab(SCREENS[1][1]);
    await page.goto(`${console.origin}/?span=1h`);
    expect(await page.locator('#messages th[data-color="2"]').allTextContents()).toEqual(['sms failed']);
    await page.goto(`${console.origin}/?span=1h&view=times`);
    const legend = page.locator('figure[data-plot=times] .u-legend');
    const first = legend.locator('.u-series:not(:first-child)').first();
    expect((await first.boundingBox())?.x).toBe((await legend.boundingBox())?.x);
  });

  it('links a point in a plot to the messages behind it', async () => {
    const { page } = await browser.tab();
    await page.goto(console.origin);
    const drawing = page.locator('figure[data-plot=messages] .u-over');
    await drawing.scrollIntoViewIfNeeded();
    await drawing.click({ position: { x: 100, y: 50 } });
    await page.waitForURL(/\/messages\?newer-than=.*&older-than=/);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Messages');
  });

  it('does not grow while it stays open', async () => {
    const { page } = await browser.open();
    await page.goto(`${console.origin}/?span=1h&view=requests`);
    const size = () => page.evaluate<number>('document.querySelectorAll("*").length');
    const labels = { figure: 'requests' as const, labels: ['AuthCode', 'soap11', 'ok'] };
    const last = page.locator('#requests tbody tr:last-child td');
    const show = async (requests: number): Promise<void> => {
      await console.store.stats.add([{ ...labels, at: opened - MINUTE, count: 100 }], [], opened);
      await last.getByText(String(requests - 16), { exact: true }).waitFor({ state: 'attached' });
    };
    await show(116);
    const before = await size();
    for (const requests of [216, 316, 416]) await show(requests);
    // It may shrink: failures of the tests before are retried.
    expect(await size()).toBeLessThanOrEqual(before);
    expect(await page.locator('.uplot').count()).toBe(1);
    // The plots are those of the numbers that came.
    const { data } = await plotted(page, 'requests');
    expect(data[1]?.reduce((sum: number, value) => sum + (value ?? 0), 0)).toBe(416);
  });

  it('works without JavaScript, except for plots and live updates', async () => {
    const { page } = await browser.open({ javaScriptEnabled: false });
    await page.goto(console.origin);
    await page.getByText('Messages by result as a table').click();
    expect(await page.locator('#messages').isVisible()).toBe(true);
    await page.locator('#messages tbody a').first().click();
    await page.getByText('Find messages').click();
    await page.getByRole('button', { name: 'Find' }).click();
    expect(page.url()).toContain('older-than=');
  });
});
