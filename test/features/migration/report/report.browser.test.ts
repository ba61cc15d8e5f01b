import { htmlReport } from '../../../../src/features/migration/report/reports';
import { describeInBrowser, problemsOnScreens, SCREENS } from '../../../harness/browser';
import { emptyReport, sampleReport } from './sample-report';

describeInBrowser('the report in a browser', (browser) => {
  it.each([
    ['findings', sampleReport()],
    ['nothing', emptyReport()],
  ])('with %s loads nothing else, fits and is accessible', async (name, report) => {
    const { page, complaints, requests } = await browser.tab(SCREENS[0][1]);
    const document = Buffer.from(htmlReport(report)).toString('base64');
    await page.goto(`data:text/html;charset=utf-8;base64,${document}`);
    for (const details of await page.locator('summary').all()) await details.click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Old and new responses');
    expect(requests.filter((request) => !request.startsWith('data:'))).toEqual([]);
    expect(await problemsOnScreens(page, `report-${name}`)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
