import { CSV_HEADERS } from '../../../scripts/harness';
import { describeInBrowser, SCREENS, takeScreenshot, violationsOf } from '../../harness/browser';
import { useUploads } from './import-page';

describeInBrowser('the page of imports', (browser) => {
  const console = useUploads('sqlite');

  it.each(SCREENS)('with errors fits and is accessible on %s', async (screen, options) => {
    const { page } = await browser.tab(options);
    await page.goto(`${console.origin}/schools`);
    await page.getByRole('link', { name: 'Import school data' }).click();
    // The page of another screen shows another value.
    const value = `width-${String(page.viewportSize()?.width)}`;
    const buffer = Buffer.from(`${CSV_HEADERS.students}\nx,S1,Name,${value},`);
    await page.locator('#i-files').setInputFiles([{ name: 'students.csv', mimeType: 'text/csv', buffer }]);
    await page.getByRole('button', { name: 'Check the files' }).click();
    await page.getByText(value).waitFor();
    await takeScreenshot(page, `console-import-errors-${screen}`);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});
