// "Why did this parent not get the code?", asked of the whole service in a browser.

import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

import { endServer, get, listen, portOf } from '../../../scripts/harness';
import { writeGatewaysFile } from '../../../scripts/harness/delivery';
import { describeInBrowser, problemsOnScreens, SCREENS } from '../../harness/browser';
import { useServicesHere } from '../../service/use-services-here';
import { spoken } from './spoken';

/** Three parents: the code with which the gateway refuses each, and the words of the answer. */
const PARENTS = [
  { phone: '05321112201', code: '50', en: 'the number is not valid', tr: 'numara geçersiz' },
  {
    phone: '0532 111 22 02',
    code: '70',
    en: 'a value is missing or not valid',
    tr: 'bir değer eksik ya da geçersiz',
  },
  {
    ...{ phone: '+90 (532) 111-22-03', code: '99' },
    ...{ en: 'no rule in GATEWAYS_FILE matches', tr: 'kurallarında olmayan bir yanıt verdi' },
  },
] as const;

/** Words that a person reads on the page before the answer: a heading, the filters, the day and the time. */
const MAX_WORDS = 40;

describeInBrowser('a helpdesk question', (browser) => {
  const services = useServicesHere();
  let gateway: Server;
  let origin = '';

  beforeAll(async () => {
    gateway = createServer((request, response) => {
      void text(request).then((body) => {
        const parent = PARENTS.find(({ phone }) => body.includes(`<no>90${digitsOf(phone)}</no>`));
        response.end(`<xml><main><code>${parent?.code ?? '0'}</code></main></xml>`);
      });
    });
    await listen(gateway);
    const file = writeGatewaysFile(services.folder, {
      ...{ preset: 'netgsm-otp', user: 'user', password: 'secret', sender: 'OKUL' },
      base: `http://127.0.0.1:${String(portOf(gateway))}`,
    });
    const service = await services.start({
      settings: { SMS_CHANNEL: 'http', GATEWAYS_FILE: file, PUSH_CHANNEL: 'file', DEFAULT_COUNTRY: 'TR' },
    });
    for (const { phone } of PARENTS) {
      await service.ask(get('AuthCodeSending', 'AuthCode', `code=84021&phone=90${digitsOf(phone)}`));
      await service.line('message', { channel: 'sms', state: 'failed' });
    }
    origin = `http://127.0.0.1:${String(service.adminPort)}`;
  });
  afterAll(() => endServer(gateway));

  describe.each(spoken('en', 'tr'))('in %s', (language) => {
    const options = { ...SCREENS[0][1], locale: language };

    it.each(PARENTS)('is answered for $phone without a click', async ({ phone, ...answers }) => {
      const { page, complaints } = await browser.tab(options);
      await page.goto(origin);
      expect(await page.evaluate('document.documentElement.lang')).toBe(language);
      await page.keyboard.press('/');
      await page.keyboard.type(phone);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/messages\?phone=/);
      const answer = answers[language];
      for (const [, { viewport }] of SCREENS.toReversed()) {
        await page.setViewportSize(viewport);
        const content = (await page.locator('#content').innerText()).replaceAll(/\s+/g, ' ');
        expect(content).toContain(answer);
        const before = content.slice(0, content.indexOf(answer)).trim().split(' ');
        expect(before.length).toBeLessThanOrEqual(MAX_WORDS);
      }
      expect(await problemsOnScreens(page, `helpdesk-${answers.code}-${language}`)).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
});

/** Returns the national number without its leading zero. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').slice(-10);
}
