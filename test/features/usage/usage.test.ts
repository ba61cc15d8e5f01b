import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import { runCommand } from '../../harness/run-command';
import { ENGINES } from '../../harness/test-databases';
import { useDeliveries } from '../../delivery/use-deliveries';

const SAMPLE_SCHOOL = join(PACKAGE_ROOT, 'scripts', 'sample-school');
const GROUPS = ['school', 'country', 'channel', 'gateway', 'caller', 'day'] as const;
const ISTANBUL = { TIME_ZONE: 'Europe/Istanbul' };
/** Has the length of two SMS. */
const LONG_TEXT = `{code} ${'a'.repeat(160)}`;
const DAY = 24 * 3_600_000;

describe.each(ENGINES)('the command usage on %s', (engine) => {
  const deliveries = useDeliveries(engine);
  // Ids never go back within a process.
  const month = engine === 'sqlite' ? '2026-03' : '2026-04';

  const place = (settings: Readonly<Record<string, string>>) => ({
    folder: deliveries.database.folder, // where no .env lies
    settings: { DATABASE_URL: deliveries.database.url, ...settings },
  });

  /** Runs the command and returns what it prints. */
  async function run(settings: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const { code, out, err } = await runCommand('usage', args, place(settings));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  }

  function pricesFile(countries: object): Readonly<Record<string, string>> {
    const file = join(deliveries.database.folder, 'delivery.json');
    writeFileSync(file, JSON.stringify({ countries }));
    return { DELIVERY_FILE: file };
  }

  it('counts and prices the messages of a month, even after they are removed', async () => {
    const { store, sms } = deliveries;
    await store.importFolder(SAMPLE_SCHOOL);
    const settings = {
      ...ISTANBUL,
      ...pricesFile({
        TR: {
          smsPrices: [
            { from: `${month}-29`, price: '0.1', currency: 'EUR' },
            { from: '2026-01-01', price: '0.0125', currency: 'EUR' },
          ],
        },
        DE: {
          smsPrices: [
            { from: '2026-01-01', price: '0.2', currency: 'USD', gateway: 'gateway' },
            { from: '2026-01-02', price: '9', currency: 'USD', gateway: 'other' },
          ],
        },
      }),
    };
    const service = deliveries.make({ ...settings, SMS_TEXT: LONG_TEXT });
    service.now = Date.parse(`${month}-28T20:59:59.999Z`); // The last millisecond of the 28th in Istanbul.
    // Only now: a claim that began before, by today's clock, would find the first code expired.
    service.delivery.start();
    let codes = 0;
    const send = async (phone: string, caller?: string) => {
      const decision = await service.delivery.acceptCode({
        ...{ code: String((codes += 1)), phone, caller },
        ...{ createdAt: service.now, expiresAt: service.now + 60_000 },
      });
      if (decision.kind !== 'stored') throw new Error(`The code is ${decision.kind}`);
      return service.line({ messageId: decision.messageId });
    };
    await send('+905551112233', 'app');
    service.now += 1;
    await send('+905551112233', 'app');
    await send('+905551112244');
    await send('+4915123456789', 'panel');
    await send('+33612345678', 'panel');
    sms().next.push({ status: 403 });
    await send('+905551112255', '=panel');
    const { pushes } = await service.ended(await service.sendMarks());
    expect(pushes).toBeGreaterThan(1);

    const all = await store.deliveries.list({}, 1000);
    const lines = (await run(settings, '--month', month, '--by', 'country')).split('\n');
    const headers = 'country  messages  sent  written  partly  failed  expired  suppressed  waiting  SMS';
    expect(lines[0]).toBe(`Messages in ${month} (Europe/Istanbul) by country`);
    expect(lines[1]?.replace(/ +price$/, '')).toBe(headers);
    const cells = lines.slice(2, -2).map((line) => line.split(/ {2,}/));
    const count = (state: string, channel: string) =>
      all.filter((message) => message.state === state && message.channel !== channel).length;
    expect(cells).toEqual([
      [
        '(none)',
        ...[all.length - 6, count('sent', 'sms'), 0, 0, count('failed', 'sms'), 0, 0, 0, 0].map(String),
      ],
      ['DE', '1', '1', '0', '0', '0', '0', '0', '0', '2', '0.40 USD'],
      ['FR', '1', '1', '0', '0', '0', '0', '0', '0', '2'],
      ['TR', '4', '3', '0', '0', '1', '0', '0', '0', '6', '0.425 EUR'],
      [
        'total',
        ...[all.length, count('sent', ''), 0, 0, count('failed', ''), 0, 0, 0, 10].map(String),
        '0.425 EUR + 0.40 USD',
      ],
    ]);
    expect(lines.at(-2)).toBe('The price excludes 2 SMS: DELIVERY_FILE has no smsPrices for FR.');

    const forms = [...GROUPS.map((by) => [by, '--json']), ['caller', '--csv'], ['country']];
    const outputs = async () => {
      const texts: string[] = [];
      for (const [by = '', ...form] of forms)
        texts.push(await run(settings, '--month', month, '--by', by, ...form));
      return texts;
    };
    const before = await outputs();
    const days = before[GROUPS.indexOf('day')] ?? '';
    expect(
      days
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        ...{
          month,
          day: `${month}-28`,
          messages: 1,
          sent: 1,
          written: 0,
          partly: 0,
          failed: 0,
          expired: 0,
          suppressed: 0,
        },
        ...{ waiting: 0, sms: 2, prices: { EUR: '0.025' }, smsWithoutPrice: 0 },
      },
      expect.objectContaining({
        day: `${month}-29`,
        prices: { EUR: '0.40', USD: '0.40' },
        smsWithoutPrice: 2,
      }),
    ]);
    expect(before[GROUPS.indexOf('gateway')]?.split('\n').map((line) => line.slice(0, 60))).toEqual([
      expect.stringContaining(`{"month":"${month}","gateway":null,`),
      expect.stringContaining(`{"month":"${month}","gateway":"gateway","messages":6,`),
      '',
    ]);
    const callers = (before[GROUPS.length] ?? '').split('\r\n');
    expect(callers[0]).toBe(
      'caller,messages,sent,written,partly,failed,expired,suppressed,waiting,sms,smsWithoutPrice,EUR,USD',
    );
    expect(callers.slice(2)).toEqual([
      "'=panel,1,0,0,0,1,0,0,0,0,0,0.00,0.00",
      'app,2,2,0,0,0,0,0,0,4,0,0.225,0.00',
      'panel,2,2,0,0,0,0,0,0,4,2,0.00,0.40',
      '',
    ]);
    expect(before[GROUPS.indexOf('school')]).toContain(`"school":"http://school.example"`);

    const keeper = deliveries.make({ ...settings, KEEP_MESSAGES_DAYS: '3' });
    keeper.now = service.now + 4 * DAY;
    keeper.delivery.start();
    await keeper.removed();
    await deliveries.stopAll();
    expect((await store.deliveries.list({}, 1000)).length).toBeLessThan(all.length);
    expect(await outputs()).toEqual(before);
  });

  it('shows the current month of TIME_ZONE by default, and reports if there is nothing', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-03-31T21:00:00Z'));
    try {
      expect(await run({ TIME_ZONE: 'UTC' })).toBe('Messages in 2026-03 (UTC) by channel: none.\n');
      expect(await run(ISTANBUL)).toBe('Messages in 2026-04 (Europe/Istanbul) by channel: none.\n');
      expect(await run(ISTANBUL, '--month', '2026-04', '--json')).toBe('');
    } finally {
      clock.mockRestore();
    }
  });

  it.each([
    [['--month', '2026-13'], 'Expected a year and a month, for example 2026-11.'],
    [['--month', '11'], 'Expected a year and a month, for example 2026-11.'],
    [['--month', '9999-01'], '--month: 9999-01 is in the future.'],
    [['--by', 'phone'], 'Allowed choices are school, country, channel, gateway, caller, day.'],
    [['--json', '--csv'], "option '--json' cannot be used with option '--csv'"],
  ])('refuses %j', async (args, message) => {
    expect(await runCommand('usage', args, place({}))).toMatchObject({
      code: 1,
      err: expect.stringContaining(message) as unknown,
    });
  });

  it('reports invalid prices', async () => {
    const wrong = pricesFile({ TR: { smsPrices: [{ from: '2026-01-01', price: 0.1, currency: 'EUR' }] } });
    expect(await runCommand('usage', [], place(wrong))).toMatchObject({
      code: 1,
      err: expect.stringContaining('countries > entry 1 > smsPrices > 0 > price') as unknown,
    });
  });
});
