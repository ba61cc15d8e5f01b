// The wire contract, section 7: the test form of the pages.

import type { Page } from 'playwright-core';

import { startAsmxServer } from '../../harness/asmx-server';
import { BINDING_TITLES } from '../../../scripts/harness';
import { OPERATIONS } from '../../harness/contract-operations';
import {
  endpointsWith,
  handlerOf,
  type RecordedCall,
  recordingEndpoints,
} from '../../harness/recording-endpoints';
import { type UsedServer, useReference, useServer } from '../../harness/use-server';
import { describeInBrowser, takeScreenshot } from '../../harness/browser';
import { fillSample, readRequest } from './sample-request';

const calls: RecordedCall[] = [];
const service = useServer(() => startAsmxServer({ endpoints: recordingEndpoints(calls) }));
const reference = useReference();
const hostile = useServer(() =>
  startAsmxServer({
    endpoints: endpointsWith((operation) =>
      handlerOf(() => (operation === 'GetTokenDevice' ? '<img src=x onerror=alert(1)>' : undefined)),
    ),
  }),
);

const long = useServer(() =>
  startAsmxServer({ endpoints: endpointsWith(() => handlerOf(() => 'A long text. '.repeat(1_000))) }),
);

/** Values that every encoding on the way must bring through. */
const TEXT = `<&> "ü" + 100% 'İ' 😀`;

/** Describes what the form shows in one of its views. */
interface Views {
  readonly request: string;
  readonly body: string;
}

/** Sends the test form as it is filled in, and waits for its answer. */
async function invoke(page: Page): Promise<{ status: string; headers: string; pretty: Views; raw: Views }> {
  await page.getByRole('button', { name: 'Invoke' }).click();
  await page.locator('#test-status:not(:empty)').waitFor();
  await page.locator('#test-answer').waitFor();
  const text = async (id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';
  const view = async (name: string): Promise<Views> => {
    const choice = page.getByRole('radio', { name });
    if (await choice.isVisible()) await choice.check();
    return { request: await text('sent-request'), body: await text('answer-body') };
  };
  return {
    status: await text('test-status'),
    headers: await text('answer-headers'),
    pretty: await view('Pretty'),
    raw: await view('Raw'),
  };
}

const formAt = ({ host }: UsedServer, endpoint: string, operation: string): string =>
  `http://${host}/${endpoint}.asmx?op=${operation}`;

describeInBrowser('in a browser', (browser) => {
  async function openForm(server: UsedServer, endpoint: string, operation: string): Promise<Page> {
    const { page } = await browser.tab();
    await page.goto(formAt(server, endpoint, operation));
    return page;
  }

  describe('the test form', () => {
    it.each(OPERATIONS)(
      'calls $name of $endpoint by each binding',
      async ({ endpoint, name: operation, bindings }) => {
        const visit = await browser.tab();
        const { page } = visit;
        await page.goto(formAt(service, endpoint, operation));
        const args: Record<string, string> = {};
        for (const input of await page.locator('#test-form .field input').all()) {
          const name = ((await input.getAttribute('id')) ?? '').replace('value-', '');
          args[name] = (await input.getAttribute('maxlength')) === '1' ? 'Y' : `${TEXT} ${name}`;
          await input.fill(args[name]);
        }
        calls.length = 0;
        const sent: string[] = [];
        for (const binding of bindings) {
          await page.getByRole('radio', { name: BINDING_TITLES[binding] }).check();
          const { status, headers, raw } = await invoke(page);
          expect(status).toMatch(/^HTTP 200 OK, \d+ bytes in \d+ ms$/);
          expect(headers).toContain('cache-control: private, max-age=0');
          sent.push(raw.request);
        }
        const expected = [...bindings].map((binding) => ({ operation, args, binding }));
        expect(calls).toEqual(expected);
        expect(visit.complaints).toEqual([]);
        const origins = visit.requests
          .filter((url) => !url.startsWith('data:'))
          .map((url) => new URL(url).host);
        expect([...new Set(origins)]).toEqual([service.host]);

        // What the form says that it sent makes the same calls again.
        calls.length = 0;
        for (const request of sent) await service.ask(readRequest(request));
        expect(calls).toEqual(expected);
      },
    );

    it('shows the body as received, and pretty-printed', async () => {
      const page = await openForm(reference, 'NotificationNotes', 'GetStudentSchool');
      await page.getByLabel('school_base_url').fill('one');
      await page.getByLabel('show_active').fill('Y');
      const { headers, pretty, raw } = await invoke(page);
      const sample = (await page.locator('#soap11-request').textContent()) ?? '';
      const whole = await reference.ask(fillSample(sample, 'soap11', 'one'));
      expect(headers).toContain('content-type: text/xml; charset=utf-8');
      expect(raw.body).toBe(whole.body);
      expect(pretty.body).toContain(
        '\n      <GetStudentSchoolResult>\n        <StudentInfo>\n          <id_student>S1</id_student>\n',
      );
      await takeScreenshot(page, 'test-form-answer');
    });

    it('keeps a long answer in a scrolling box, with its XML highlighted', async () => {
      const page = await openForm(long, 'PushNotificationMobile', 'GetTokenDevice');
      const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
      await invoke(page);
      const [first, box] = [await height(), page.locator('#answer-body')];
      const [inside, shown] = await page.evaluate<[number, number]>(
        "(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector('#answer-body'))",
      );
      expect(inside).toBeGreaterThan(2 * shown);
      expect(first).toBeLessThan(5_000);
      expect(await box.locator('.tag').first().textContent()).toContain('<?xml');
    });

    it('shows a fault and an HTTP GET error as received', async () => {
      const page = await openForm(reference, 'NotificationNotes', 'GetStudentSchool');
      const fault = await invoke(page);
      expect(fault.status).toMatch(/^HTTP 500 Internal Server Error/);
      expect(fault.pretty.body).toContain('Input string was not in a correct format.');
      await page.getByRole('radio', { name: 'HTTP GET' }).check();
      const error = await invoke(page);
      const text =
        'Cannot convert  to System.Char.\r\nParameter name: type ---> String must be exactly one character long.';
      expect(error.raw.body).toBe(`${text}\r\n`);
      expect(error.pretty).toEqual(error.raw);
    });

    it('shows markup in an answer as text', async () => {
      const page = await openForm(hostile, 'PushNotificationMobile', 'GetTokenDevice');
      const { pretty } = await invoke(page);
      expect(pretty.body).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(await page.locator('#test-answer img').count()).toBe(0);
    });

    it('shows when there is no answer', async () => {
      const { page, context } = await browser.open();
      await page.goto(`http://${service.host}/GetNoteType.asmx?op=GetStudentsNoteType`);
      await context.setOffline(true);
      await page.getByRole('button', { name: 'Invoke' }).click();
      await page.getByText(/^No answer: /).waitFor();
      expect(await page.getByRole('button', { name: 'Invoke' }).isEnabled()).toBe(true);
    });

    it('can be filled in and sent from the keyboard', async () => {
      const page = await openForm(service, 'PushNotificationMobile', 'GetTokenDevice');
      await page.getByRole('radio', { name: 'SOAP 1.1' }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Tab');
      await page.keyboard.type('7');
      calls.length = 0;
      await page.keyboard.press('Enter');
      await page.locator('#test-answer').waitFor();
      expect(calls).toEqual([{ operation: 'GetTokenDevice', args: { id: '7' }, binding: 'soap12' }]);
    });
  });

  describe('the copy buttons', () => {
    it.each(OPERATIONS)(
      'copy working samples: $name of $endpoint by each binding',
      async ({ endpoint, name: operation, bindings }) => {
        const { page } = await browser.tab({ permissions: ['clipboard-read', 'clipboard-write'] });
        await page.goto(`http://${reference.host}/${endpoint}.asmx?op=${operation}`);
        for (const binding of bindings) {
          await page.getByRole('radio', { name: BINDING_TITLES[binding] }).check();
          const button = page.locator(`button[data-copy="${binding}-request"]`);
          await button.click();
          await button.and(page.getByText('Copied')).waitFor();
          const copied = await page.evaluate<string>('navigator.clipboard.readText()');
          expect((await reference.ask(fillSample(copied, binding, 'x'))).status).toBe(200);
        }
      },
    );

    it("work without the browser's clipboard API, as over plain HTTP from another machine", async () => {
      const { page } = await browser.open();
      await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined });
      addEventListener('copy', () => { window.copied = String(getSelection()); });`);
      await page.goto(`http://${reference.host}/GetNoteType.asmx`);
      await page.locator('button[data-copy="address"]').click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('window.copied')).toBe(`http://${reference.host}/GetNoteType.asmx`);
    });
  });
});
