import { record } from '../../../src/features/audit/record';
import { useConsole } from '../../admin/console/use-console';
import { describeInBrowser } from '../../harness/browser';

const PHONE = { viewport: { width: 400, height: 740 } };

describeInBrowser('the audit in a browser', (browser) => {
  const console = useConsole('sqlite');
  beforeAll(async () => {
    const detail = { messages: 3, school: `http://school.example/a-long-path/${'x'.repeat(80)}` };
    const at = Date.now() - 60_000;
    await record(console.store, { at, who: 'anna', action: 'log-in', detail: {} });
    await record(console.store, { at, who: 'anna', action: 'cancel', detail });
  });

  it('shows clock times', async () => {
    const { page } = await browser.tab();
    await page.goto(`${console.origin}/audit`);
    expect(await page.locator('table.list time').first().textContent()).toMatch(/\d\d:\d\d:\d\d$/);
  });

  it('shows details on a phone without scrolling sideways, and no empty cells', async () => {
    const { page } = await browser.tab(PHONE);
    await page.goto(`${console.origin}/audit`);
    expect(await page.locator('td.long').first().isVisible()).toBe(true);
    const excess =
      "[...document.querySelectorAll('.scroll')].map((part) => part.scrollWidth - part.clientWidth)";
    expect(await page.evaluate(excess)).toEqual([0]);
    expect(await page.locator('table.cards td:empty').first().isVisible()).toBe(false);
  });
});
