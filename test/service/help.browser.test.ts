// The prefilled forms of the pages, on the sample school.

import { describeInBrowser } from '../harness/browser';
import { OPERATIONS } from '../harness/contract-operations';
import { type ServiceHere, useServicesHere } from './use-services-here';

const services = useServicesHere();
let service: ServiceHere;
beforeAll(async () => {
  service = await services.start();
});

describeInBrowser('the prefilled form', (browser) => {
  it.each(OPERATIONS)('gets an answer: $name of $endpoint', async (operation) => {
    const { page, complaints } = await browser.tab();
    await page.goto(
      `http://127.0.0.1:${String(service.port)}/${operation.endpoint}.asmx?op=${operation.name}`,
    );
    // By the binding that the page begins with; form.browser.test.ts has the others.
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.locator('#test-status:not(:empty)').waitFor();
    expect(await page.locator('#test-status').textContent()).toMatch(/^HTTP 200 OK/);
    expect(complaints).toEqual([]);
  });
});
