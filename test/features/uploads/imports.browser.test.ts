import { CSV_HEADERS } from '../../../scripts/harness';
import { describeInBrowser, problemsOnScreens, SCREENS } from '../../harness/browser';
import { useUploads } from './import-page';

describeInBrowser('the page of imports', (browser) => {
  const console = useUploads('sqlite');

  it('with errors fits and is accessible', async () => {
    const { page } = await browser.tab(SCREENS[0][1]);
    await page.goto(`${console.origin}/schools`);
    await page.getByRole('link', { name: 'Import school data' }).click();
    const buffer = Buffer.from(`${CSV_HEADERS.students}\nx,S1,Name,wrong,`);
    await page.locator('#i-files').setInputFiles([{ name: 'students.csv', mimeType: 'text/csv', buffer }]);
    await page.getByRole('button', { name: 'Check the files' }).click();
    await page.getByText('wrong').waitFor();
    expect(await problemsOnScreens(page, 'console-import-errors')).toEqual([]);
  });
});
