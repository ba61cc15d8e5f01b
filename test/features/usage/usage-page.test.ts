import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';

import { LiveStreams } from '../../../src/admin/console/live';
import type { AdminUsers } from '../../../src/admin/login/admin-login';
import { Words } from '../../../src/admin/texts/words';
import { loadConfig } from '../../../src/config';
import { usageConsole } from '../../../src/features/usage/usage-page';
import type { Store } from '../../../src/store';
import { useFolder } from '../../harness/use-folder';
import { sendCode } from '../../admin/console/send-code';
import { cellsOf, useConsole } from '../../admin/console/use-console';

describe('the usage in the console', () => {
  const DELIVERY_FILE = join(useFolder(), 'delivery.json');
  const price = (amount: string): void => {
    const smsPrices = [{ from: '2026-01-01', price: amount, currency: 'EUR' }];
    writeFileSync(DELIVERY_FILE, JSON.stringify({ countries: { TR: { smsPrices } } }));
  };
  price('0.5');
  const console = useConsole('sqlite', { DELIVERY_FILE });

  const enqueue = (school: string) =>
    console.store.messages.enqueue({
      ...{ channel: 'push', recipient: 'DEV-1', school, payload: { note: 'N1' }, dedupeKey: null },
      ...{ createdAt: console.now - 65_000, expiresAt: console.now + 300_000 },
    });

  it('shows the usage of a month as the command does, also as CSV', async () => {
    await enqueue('http://usage.example');
    const { text } = await console.get('/usage?month=2026-03&by=school');
    const [line = []] = cellsOf(text, 'Usage of 2026-03 by school').filter(
      ([name]) => name === 'http://usage.example',
    );
    expect(line.slice(0, 2)).toEqual(['http://usage.example', '1']);
    expect((await console.get('/usage.csv?month=2026-03&by=school')).text).toContain(
      'http://usage.example,1,',
    );
    const days = cellsOf(text, 'Messages by day').slice(1);
    expect(days.map(([day]) => day)).toEqual(['2026-03-01 00:00:00', '2026-03-02 00:00:00']);
    expect(Number(days[1]?.[1])).toBeGreaterThanOrEqual(1);
    // A month that is none, or has not begun, is this one.
    for (const month of ['2026-04', '2026-99', 'x']) {
      expect((await console.get(`/usage?month=${month}`)).text).toContain('<h1>Usage of 2026-03</h1>');
    }
  });

  it('prices SMS by the file when it was last reloaded without an error', async () => {
    const now = console.now - 65_000;
    const id = await console.store.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905551112233', payload: { code: '1' }, school: '', dedupeKey: null },
      ...{ createdAt: now, expiresAt: now + 300_000 },
    });
    await sendCode(console.store, id, now);
    const shown = async () =>
      /\d\.\d+ EUR/.exec((await console.get('/usage?month=2026-03&by=country')).text)?.[0];
    expect(await shown()).toBe('0.50 EUR');
    price('0.75');
    expect(await shown()).toBe('0.50 EUR');
    expect(console.reload()).toEqual([]);
    expect(await shown()).toBe('0.75 EUR');
    writeFileSync(DELIVERY_FILE, '{');
    expect(console.reload()).toMatchObject([{ names: ['DELIVERY_FILE'] }]);
    expect(await shown()).toBe('0.75 EUR');
  });

  it('of each school is shown once it is counted', async () => {
    await enqueue('http://school.example');
    const rows = cellsOf((await console.get('/schools')).text, 'Schools');
    expect(rows[0]?.at(-1)).toBe('This month');
    expect(rows.slice(1).map((cells) => cells.at(-1))).toContain('1');
    const { text } = await console.get('/schools/school?url=http://school.example');
    expect(text).toContain('1 messages, 0 sent, 0 failed or expired');
  });

  it('of each school is not waited for', async () => {
    const counting = { ofDay: () => new Promise<never>(() => undefined) };
    const { schoolFact } = usageConsole({
      ...{ config: loadConfig({}), live: new LiveStreams(), liveEveryMs: 100, soonMs: 1 },
      logger: pino({ level: 'silent' }),
      node: { name: 'node', version: '1', folder: '.', metrics: { registry: console.registry } },
      store: { repository: () => counting } as unknown as Store, // The part that is used.
      users: {} as AdminUsers, // Not used.
      now: () => console.now,
    });
    const fact = await schoolFact?.(new Words('en', 'UTC'));
    expect(fact?.inList('http://school.example')).toBe('…');
    expect(fact?.inDetails('http://school.example')).toContain('Still counting.');
  });

  it('is recorded when it is downloaded', async () => {
    await console.get('/usage.csv?month=2026-03');
    expect(console.recorded).toEqual([{ action: 'export', what: 'usage', month: '2026-03' }]);
  });
});
