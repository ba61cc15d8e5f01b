import { eraseExpired } from '../../../src/delivery/policy/old-messages';
import type { RefusalReason } from '../../../src/store/outbox/refusals';
import type { Reason } from '../../../src/store';
import { ENGINES } from '../../harness/test-databases';
import { failMessages } from './fail-messages';
import { sendCode } from './send-code';
import { useConsole } from './use-console';
import { storeReceipt } from '../../harness/store-receipt';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PHONE = '+905551230099';
const WRONG_PASSWORD: Reason = {
  ...{ code: 'account_stopped', status: 200, detail: '30', meaning: 'wrong user or password' },
  gateway: 'Netgsm',
};

describe.each(ENGINES)('the timeline of a phone number on %s', (engine) => {
  const console = useConsole(engine);

  const enqueue = (recipient: string, minute: number): Promise<string> =>
    console.store.messages.enqueue({
      ...{
        channel: 'sms',
        recipient,
        school: '',
        payload: { code: '84021' },
        dedupeKey: null,
        caller: 'app',
      },
      ...{ createdAt: console.now + minute * MINUTE, expiresAt: console.now + HOUR },
    });
  const refuse = (reason: RefusalReason, bound: number, first: number, last = first, times = 1) =>
    console.store.write(({ refusals }) =>
      refusals.record([
        {
          ...{ phone: PHONE, reason, bound, times },
          ...{ firstAt: console.now + first * MINUTE, lastAt: console.now + last * MINUTE },
        },
      ]),
    );
  async function send(id: string, minute: number, exact: { isExact?: true } = {}): Promise<void> {
    const now = console.now + minute * MINUTE;
    await sendCode(console.store, id, now);
    await storeReceipt(console.store, id, { state: 'delivered', at: now + 4000, ...exact });
  }
  /** The lines of a timeline, without markup. */
  const linesOf = (text: string, label: string): readonly string[] => {
    const [, list = ''] = new RegExp(`<ol [^>]*aria-label="${label}">(.*?)</ol>`, 's').exec(text) ?? [];
    return [...list.matchAll(/<li class="[^"]*">(.*?)<\/li>/gs)].map(([, item = '']) =>
      item.replaceAll(/<[^>]*>/g, ''),
    );
  };
  const clock = (minute: number): string =>
    new Date(console.now + minute * MINUTE).toISOString().slice(11, 19);
  async function search(query = '', phone = '0555 123 00 99'): Promise<string> {
    const { headers } = await console.post('/find', { text: phone });
    return (await console.get(`${headers.get('location') ?? ''}${query}`)).text;
  }
  const timeline = async (query = '') => linesOf(await search(query), 'Codes for this number');

  it('shows the result of each code and the refused ones, the newest first', async () => {
    await refuse('ten_minutes', 5, 1, 3, 3);
    for (const other of ['01', '02', '03']) await enqueue(`+9055500000${other}`, 4);
    await enqueue(PHONE, 5);
    await failMessages(console.store, {
      ...{ channel: 'sms', reason: WRONG_PASSWORD, now: console.now + 6 * MINUTE },
    });
    await send(await enqueue(PHONE, 7), 7, { isExact: true });
    await send(await enqueue(PHONE, 8), 8);
    await enqueue(PHONE, 9);
    await refuse('overall', 1000, 10);
    console.now += 11 * MINUTE;
    const now = -11;
    const day = new Date(console.now).toISOString().slice(0, 10);
    expect(await timeline()).toEqual([
      day,
      `${clock(now + 10)} refused: the limit of 1,000 codes a day for all numbers together`,
      `${clock(now + 9)} waiting: due now; the next free worker will send it; expires 12:00:00`,
      `${clock(now + 8)} sent by Netgsm, delivered by ${clock(now + 8 + 4 / 60)}`,
      `${clock(now + 7)} sent by Netgsm, delivered ${clock(now + 7 + 4 / 60)}`,
      `${clock(now + 5)} failed: Netgsm refuses the account (HTTP 200, code 30: wrong user or password); 3 others since ${clock(now + 6)}`,
      `${clock(now + 1)} refused: more than 5 codes in 10 minutes (3 times until ${clock(now + 3)})`,
    ]);
    expect(await timeline('&state=failed')).toHaveLength(2);
    expect(await timeline('&older-than=5m')).toHaveLength(3);
    expect(await search()).not.toContain('5551230099');
  });

  it('offers only what can do something to the codes of a number', async () => {
    const phone = '+905551230044';
    const id = await enqueue(phone, 0);
    expect(await search('', phone)).toMatch(/^(?![^]*Retry all …)[^]*Cancel all …/);
    await send(id, 1);
    expect(await search('', phone)).not.toMatch(/Retry all …|Cancel all …/);
    await enqueue(phone, 2);
    await failMessages(console.store, {
      ...{ channel: 'sms', reason: WRONG_PASSWORD, now: console.now + 3 * MINUTE },
    });
    expect(await search('', phone)).toMatch(/^(?![^]*Cancel all …)[^]*Retry all …/);
  });

  it('says from when on a limit allows the next code', async () => {
    const phone = '+905551230022';
    for (const minute of [0, 1, 4]) await enqueue(phone, minute);
    const refused = [
      ['ten_minutes', 2, 5],
      ['cool_down', 90, 5.25],
    ] as const;
    await console.store.write(({ refusals }) =>
      refusals.record(
        refused.map(([reason, bound, minute]) => {
          const at = console.now + minute * MINUTE;
          return { phone, reason, bound, times: 1, firstAt: at, lastAt: at };
        }),
      ),
    );
    console.now += HOUR;
    const lines = linesOf(await search('', phone), 'Codes for this number').filter((line) =>
      line.includes('refused:'),
    );
    const from = (minutes: number): string => clock(minutes - 60);
    expect(lines.map((line) => /possible from (\S+)$/.exec(line)?.[1])).toEqual([from(5.5), from(11)]);
  });

  it('shows each refusal on one page only', async () => {
    for (let minute = 0; minute < 120; minute += 2) await enqueue('+905551230088', minute);
    await console.store.write(({ refusals }) =>
      refusals.record(
        (['cool_down', 'ten_minutes', 'day'] as const).map((reason, at) => ({
          ...{ phone: '+905551230088', reason, bound: at + 1, times: 1 },
          ...{ firstAt: console.now + (at * 50 + 1) * MINUTE, lastAt: console.now + (at * 50 + 1) * MINUTE },
        })),
      ),
    );
    console.now += 3 * HOUR;
    let text = await search('', '+905551230088');
    const [first] = linesOf(text, 'Codes for this number').filter((line) => /^\d\d:.*refused/.test(line));
    expect(first).toContain('24 hours');
    const refused = (page: string) =>
      linesOf(page, 'Codes for this number').filter((line) => line.includes('refused:')).length;
    const newest = refused(text);
    const [, older = ''] = /href="([^"]+)" rel="next"/.exec(text) ?? [];
    text = (await console.get(older.replaceAll('&amp;', '&'))).text;
    expect([newest, refused(text)]).toEqual([2, 1]);
    const [, newer = ''] = /href="([^"]+)" rel="prev"/.exec(text) ?? [];
    expect(refused((await console.get(newer.replaceAll('&amp;', '&'))).text)).toBe(2);
  });

  it('shows what is still known after the number is masked', async () => {
    await send(await enqueue('+905551230077', 0), 0);
    await eraseExpired(console.store, MINUTE, console.now + 25 * HOUR);
    console.now += 25 * HOUR;
    const text = await search('', '+905551230077');
    expect(linesOf(text, 'Codes for this number')[1]).toMatch(
      /^[\d:]{8} sent by Netgsm, delivered by [\d:]{8} \(masked number\)$/,
    );
    expect(text).toContain('they may belong to another phone');
  });

  it('suggests where to look if there is nothing', async () => {
    const text = await search('', '+905551230066');
    expect(text).toContain('No codes for this number, and none refused in the last 24 hours.');
    expect(text).toContain('<a href="/callers">');
    expect(text).not.toContain('<ol class="timeline');
  });

  it('shows the attempts and the receipt of a message', async () => {
    const id = await enqueue('+905551230055', 0);
    await send(id, 1, { isExact: true });
    const { text } = await console.get(`/messages/${id}`);
    expect(linesOf(text, 'Timeline').slice(1)).toEqual([
      `${clock(1 + 4 / 60)} delivered`,
      `${clock(1)} attempt 1 by Netgsm: accepted. 0.01 s, 1 part, id ${id}`,
      `${clock(0)} accepted from app`,
    ]);
    const cancelled = await enqueue('+905551230055', 2);
    await console.store.deliveries.cancel({ ids: [cancelled] }, console.now + 3 * MINUTE);
    expect(linesOf((await console.get(`/messages/${cancelled}`)).text, 'Timeline')[1]).toBe(
      `${clock(3)} suppressed: Cancelled by an operator`,
    );
    const later = await enqueue(PHONE, 2);
    await send(later, 3);
    const { text: other } = await console.get(`/messages/${later}`);
    const by = clock(3 + 4 / 60);
    expect(linesOf(other, 'Timeline')[1]).toBe(`${by} delivered by ${by}`);
  });
});
