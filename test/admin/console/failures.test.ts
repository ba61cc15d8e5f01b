import { failMessages } from './fail-messages';
import { cellsOf, useConsole } from './use-console';
import { storeReceipt } from '../../harness/store-receipt';

function tileOf(page: string, name: string): string {
  return (page.split(`<h2>${name}</h2>`)[1] ?? '').split('</section>')[0]?.replace(/<[^>]*>/g, '') ?? '';
}

describe('the overview of failed messages', () => {
  const console = useConsole('sqlite');
  const code = (createdAt: number, expiresAt = createdAt + 300_000) =>
    console.store.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905550000000', school: '', payload: { code: '84021' } },
      ...{ createdAt, expiresAt, dedupeKey: null },
    });
  const refused = (detail: string, now = console.now) =>
    failMessages(console.store, {
      ...{ channel: 'sms', now },
      reason: { code: 'account_stopped', status: 200, detail, gateway: 'Netgsm' },
    });

  it('groups them by reason, counts them by hour and day, and offers the actions that work', async () => {
    await code(console.now - 2 * 3_600_000, console.now + 60_000);
    await refused('30', console.now - 600_000);
    await code(console.now - 60_000);
    await refused('30');
    await code(console.now - 50_000);
    await refused('40');
    await code(console.now - 40_000);
    const { text } = await console.get('/');
    expect(tileOf(text, 'Accepted')).toBe('3 in the last hour4 in the last 24 hours');
    expect(tileOf(text, 'Failed')).toBe('2 in the last hour3 in the last 24 hours');
    expect(tileOf(text, 'Sent')).toBe('0 in the last hour0 in the last 24 hours');
    const [, line = ''] = /<li class="bad"><strong>(3 × .*)<\/li>/.exec(text) ?? [];
    expect(line).toContain('3 × SMS: Netgsm refuses the account (HTTP 200, code 30).</strong> (1 with other');
    expect(line).toContain('<button name="action" value="retry"');
    const [, link = ''] = /href="([^"]+)">Show them/.exec(line) ?? [];
    expect(
      cellsOf((await console.get(link.replaceAll('&amp;', '&'))).text, 'Messages').slice(1),
    ).toHaveLength(3);
  });

  it('offers no retry to viewers, nor for expired codes to anyone', async () => {
    const line = async () => (await console.get('/')).text.split('3 × SMS')[1]?.split('</li>')[0] ?? '';
    console.now -= 3_600_000;
    expect(await line()).toContain('Retry …');
    console.role = 'viewer';
    expect(await line()).not.toContain('Retry …');
    console.role = 'operator';
    console.now += 3_600_000;
    expect(await line()).toContain('Show them');
    expect(await line()).not.toContain('Retry …');
  });
});

describe('a group of failed codes', () => {
  const console = useConsole('sqlite');

  it('can be retried as long as one of them lives', async () => {
    const begun = console.now;
    for (const [detail, lifeMs] of [
      ['30', 60_000],
      ['30', 60_000],
      ['40', 120_000],
    ] as const) {
      await console.store.messages.enqueue({
        ...{ channel: 'sms', recipient: '+905550000000', school: '', payload: { code: '84021' } },
        ...{ createdAt: begun - 1000, expiresAt: begun + lifeMs, dedupeKey: null },
      });
      const reason = { code: 'account_stopped', status: 200, detail, gateway: 'Netgsm' } as const;
      await failMessages(console.store, { channel: 'sms', now: begun, reason });
    }
    const offers = async (): Promise<boolean> => (await console.get('/')).text.includes('Retry …');
    console.now = begun + 120_000 - 1;
    expect(await offers()).toBe(true);
    console.now += 1;
    expect(await offers()).toBe(false);
  });
});

describe('the stats on the overview', () => {
  const console = useConsole('sqlite');
  it('count as sent what a gateway accepted, as the usage does, with what became of it', async () => {
    const settle = async (state: 'sent' | 'written', receipt?: 'delivered' | 'undelivered') => {
      await console.store.messages.enqueue({
        ...{ channel: 'sms', recipient: '+905550000000', school: '', payload: { code: '84021' } },
        ...{ createdAt: console.now - 30_000, expiresAt: console.now + 300_000, dedupeKey: null },
      });
      const lease = { owner: 'a test', leaseUntil: console.now + 30_000, now: console.now };
      const [message] = await console.store.outbox.claim({ ...lease, channel: 'sms', limit: 1 });
      const [id, providerId] = [message?.id ?? '', `S-${message?.id ?? ''}`];
      await console.store.outbox.settle({
        ...{ ...lease, id, state, nextAttemptAt: console.now, attempted: true, erase: false },
        ...{ providerId, reason: null, gateway: 'own', awaitsReceipt: receipt !== undefined },
      });
      if (receipt === undefined) return;
      await storeReceipt(console.store, providerId, { state: receipt, at: console.now });
    };
    await settle('sent');
    await settle('sent', 'delivered');
    await settle('sent', 'undelivered');
    await settle('written');
    const { text } = await console.get('/');
    expect(tileOf(text, 'Accepted')).toMatch(/^4 in the last hour/);
    expect(tileOf(text, 'Sent')).toMatch(
      /^3 in the last hour.*, 1 delivered, 1 not delivered; 1 written to a file, not sent$/,
    );
    expect(tileOf(text, 'Failed')).toMatch(/^0 in the last hour/);
    expect(text).toContain('1 × SMS: accepted by the gateway, but not delivered.');
    const [, link = ''] = /href="([^"]+)">1 not delivered<\/a>/.exec(text) ?? [];
    const { text: behind } = await console.get(link.replaceAll('&amp;', '&'));
    expect(cellsOf(behind, 'Messages').slice(1)).toHaveLength(1);
  });
});
