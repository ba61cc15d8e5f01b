// The wire contract, section 7: the pages, seen in a browser.

import { BINDINGS } from '../../../src/asmx/internal';
import { useReference } from '../../harness/use-server';
import { ENDPOINT_NAMES } from '../../../scripts/harness';
import { describeInBrowser, problemsOnScreens, SCREENS } from '../../harness/browser';
import { OPERATIONS } from '../../harness/contract-operations';

const service = useReference({
  server: { name: 'Student Notification', description: 'Web services for schools.', version: '1.2.3' },
  readiness: () => Promise.resolve({ ready: true, text: 'ready' }),
});

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['front', '/'],
  ...ENDPOINT_NAMES.map((name) => [name, `/${name}.asmx`] as const),
  ...OPERATIONS.map(
    ({ endpoint, name: operation }) => [operation, `/${endpoint}.asmx?op=${operation}`] as const,
  ),
  ['unknown-operation', '/GetNoteType.asmx?op=Nope'],
];

/** In the page: words of visible texts, split where a name may break, that extend over more than one line. */
const BROKEN_WORDS = `(() => {
  const broken = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\d]+/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  return broken;
})()`;

describeInBrowser('in a browser', (browser) => {
  it.each(PAGES)(
    'the page %s loads without errors, fits, is accessible, and breaks only names on a phone',
    async (name, path) => {
      const { page, complaints, requests } = await browser.tab(SCREENS[0][1]);
      const url = `http://${service.host}${path}`;
      await page.goto(url);
      expect(await problemsOnScreens(page, name)).toEqual([]);
      await page.setViewportSize(SCREENS[1][1].viewport);
      expect(await page.evaluate(BROKEN_WORDS)).toEqual([]);
      expect(requests.filter((request) => !request.startsWith('data:'))).toEqual([url]);
      expect(complaints).toEqual([]);
    },
  );

  it('the dark and light colour schemes are applied', async () => {
    const { page } = await browser.tab();
    await page.goto(`http://${service.host}/`);
    const brightness = async (colorScheme: 'dark' | 'light'): Promise<number> => {
      await page.emulateMedia({ colorScheme });
      const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      return Math.max(...(color.match(/\d+/g) ?? []).map(Number));
    };
    expect(await brightness('dark')).toBeLessThan(64);
    expect(await brightness('light')).toBeGreaterThan(224);
  });

  it('links lead from the front page to an operation and back', async () => {
    const { page } = await browser.tab();
    await page.goto(`http://${service.host}/`);
    await page.getByRole('link', { name: 'NotificationNotes', exact: true }).click();
    await page.getByRole('link', { name: 'SendMarkNotes' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('SendMarkNotes');
    await page.getByRole('link', { name: 'NotificationNotes Web Service' }).click();
    await page.getByRole('link', { name: 'All services' }).click();
    expect(page.url()).toBe(`http://${service.host}/`);
  });

  it('the samples are those of the chosen binding, or the one in the address', async () => {
    const { page } = await browser.tab();
    const shown = async (): Promise<readonly string[]> => {
      const visible = await Promise.all(BINDINGS.map((each) => page.locator(`#${each}`).isVisible()));
      return BINDINGS.filter((_binding, index) => visible[index]);
    };
    await page.goto(`http://${service.host}/NotificationNotes.asmx?op=SendMarkNotes`);
    expect(await shown()).toEqual(['soap11']);
    await page.getByRole('radio', { name: 'HTTP POST' }).check();
    expect(await shown()).toEqual(['post']);
    await page.goto(`http://${service.host}/NotificationNotes.asmx?op=SendMarkNotes#get`);
    expect(await shown()).toEqual(['get']);
    expect(await page.getByRole('radio', { name: 'HTTP GET' }).isChecked()).toBe(true);
  });

  it('everything except the form and copying works without JavaScript', async () => {
    const { page, complaints } = await browser.open({ javaScriptEnabled: false });
    await page.goto(`http://${service.host}/NotificationNotes.asmx?op=SendMarkNotes`);
    expect(await page.locator('noscript p').isVisible()).toBe(true);
    expect(await page.locator('#test-form').isVisible()).toBe(false);
    expect(await page.locator('button:visible').count()).toBe(0);
    for (const binding of BINDINGS) expect(await page.locator(`#${binding}-request`).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
