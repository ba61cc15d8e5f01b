import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { type Reason, REASON_CODES } from '../../src/store';
import { failMessages } from '../admin/console/fail-messages';
import { makeOlder } from '../harness/make-older';
import { runCommand } from '../harness/run-command';
import { ENGINES } from '../harness/test-databases';
import { START } from '../delivery/running-delivery';
import { useDeliveries } from '../delivery/use-deliveries';
import { storeReceipt } from '../harness/store-receipt';

const SAMPLE_SCHOOL = join(PACKAGE_ROOT, 'scripts', 'sample-school');
const REFUSED = { status: 403, body: '{"error":{"details":[{"errorCode":"SENDER_ID_MISMATCH"}]}}' };
const REASON = 'The device token belongs to another Firebase project (HTTP 403, SENDER_ID_MISMATCH).';

describe.each(ENGINES)('the command deliveries on %s', (engine) => {
  const deliveries = useDeliveries(engine);

  const place = () => ({
    folder: deliveries.database.folder, // where no .env lies
    settings: { DATABASE_URL: deliveries.database.url, DEFAULT_COUNTRY: 'TR' },
  });
  const runWhole = (...args: readonly string[]) => runCommand('deliveries', args, place());

  /** Runs the command and returns what it prints, line by line. */
  async function run(...args: readonly string[]): Promise<readonly string[]> {
    const { code, out } = await runWhole(...args);
    expect(code).toBe(0);
    return out.trimEnd().split('\n');
  }

  const PHONE = '+905551112233';
  const FIELDS = [
    ...['id', 'channel', 'state', 'to', 'match', 'school', 'request', 'note', 'caller', 'attempts', 'reason'],
    ...['reasonText', 'providerId', 'created', 'changed', 'nextAttempt', 'expires'],
    ...['parts', 'receipt', 'receiptCode', 'receiptTime', 'receiptTimeIs', 'waitingFor', 'waitingText'],
  ];

  it('prints the documented fields', () => {
    const text = readFileSync(join(PACKAGE_ROOT, 'docs', 'messages.md'), 'utf8');
    const [, table = ''] = /<!-- fields: begin -->([^]*)<!-- fields: end -->/.exec(text) ?? [];
    expect([...table.matchAll(/^- `(\w+)`/gm)].map(([, field]) => field)).toEqual(FIELDS);
  });

  const code = (recipient: string): Promise<string> =>
    deliveries.store.messages.enqueue({
      ...{ channel: 'sms', recipient, school: '', payload: { code: '84021' }, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + 300_000 },
    });

  it('finds a code by the number in any spelling, and shows whether all of it matched', async () => {
    const asked = await code(PHONE);
    await code('+905551112234');
    for (const written of ['+90 555 111 22 33', '0090-555-111-2233', '(0555) 111 22 33']) {
      const lines = await run('list', '--phone', written);
      expect(lines).toHaveLength(2);
      expect(lines[1]).toMatch(
        new RegExp(
          `^${asked}  sms  +queued  \\+90\\.\\.\\.33 .* number +due now; the next free worker will send it$`,
        ),
      );
    }
    const { store } = deliveries;
    await store.deliveries.cancel({}, START);
    await store.write(({ retention }) => retention.maskPhones(START, 9, () => '+90...33'));
    const lines = await run('list', '--phone', PHONE);
    expect(lines.at(-1)).toMatch(/^masked: /);
    expect(lines.filter((line) => line.includes(' masked  cancelled  Cancelled by'))).toHaveLength(2);
    for (const [wrong, said] of [
      [['--phone', 'no number'], 'Not a valid phone number'],
      [['--phone', PHONE, '--school', 'x'], 'cannot be used with'],
      [['--reason', 'lost'], `Allowed choices are ${REASON_CODES.join(', ')}.`],
    ] as const) {
      expect(await runWhole('list', ...wrong)).toMatchObject({
        code: 1,
        err: expect.stringContaining(said) as string,
      });
    }
  });

  it('prints a page as JSON, one object with the documented fields per line, and how to get the next', async () => {
    const { store } = deliveries;
    const payload = { note: 'N1' };
    const mark = {
      channel: 'mark',
      recipient: '9A',
      school: 'http://school.example',
      note: 'N1',
      payload,
    } as const;
    const request = await store.messages.enqueue({
      ...mark,
      ...{ dedupeKey: null, createdAt: START, expiresAt: START + 1, caller: 'portal' },
    });
    const sent = await code(PHONE);
    const [only, ...others] = await run('list', '--class', '9A', '--newer-than', 'any', '--json');
    expect(others).toEqual([]);
    const read = JSON.parse(only ?? '') as Record<string, unknown>;
    expect(Object.keys(read)).toEqual(FIELDS);
    const at = (time: number): string => new Date(time).toISOString();
    expect(read).toEqual({
      ...{
        id: request,
        channel: 'mark',
        state: 'queued',
        to: '9A',
        match: null,
        school: 'http://school.example',
      },
      ...{
        request: null,
        note: 'N1',
        caller: 'portal',
        attempts: 0,
        reason: null,
        reasonText: null,
        providerId: null,
      },
      ...{ created: at(START), changed: at(START), nextAttempt: at(START), expires: at(START + 1) },
      ...{ parts: null, receipt: null, receiptCode: null, receiptTime: null, receiptTimeIs: null },
      ...{ waitingFor: 'due', waitingText: 'due now; the next free worker will send it' },
    });

    const first = await runCommand(
      'deliveries',
      ['list', '--newer-than', 'any', '--limit', '1', '--json'],
      place(),
    );
    expect(first.code).toBe(0);
    expect((JSON.parse(first.out) as { id: string }).id).toBe(sent);
    expect(first.out).not.toContain('555111');
    const next = / --before (\S+)$/.exec(first.err.trim())?.[1] ?? '';
    const second = await runWhole('list', '--newer-than', 'any', '--limit', '1', '--json', '--before', next);
    expect((JSON.parse(second.out) as { id: string }).id).toBe(request);
    expect(second.err).toBe('');
  });

  it('says what holds a code, and what held one that expired, as text, JSON and CSV', async () => {
    const { store } = deliveries;
    const now = Date.now();
    const answer = { code: 'account_stopped', status: 200, detail: '12', meaning: 'no credit' } as const;
    const held = { cause: 'account', gateway: 'own', reason: answer, since: now - 400_000 } as const;
    const hold = { ...held, channel: 'sms', until: null } as const;
    await store.workers.say('w', { routes: [{ channel: 'sms', gateways: ['own'] }], holds: [hold] }, now);
    const waiting = await code(PHONE);
    const other = { channel: 'sms', owner: 'w', limit: 1, now: START, leaseUntil: START + 1 } as const;
    await store.outbox.claim(other);
    await store.outbox.settle({
      ...{ id: waiting, owner: 'w', leaseUntil: START + 1, state: 'expired', nextAttemptAt: START },
      ...{ providerId: null, attempted: false, erase: true, now: START, reason: { code: 'expired', held } },
    });
    await code(PHONE);
    const clock = (await run('list', '--phone', PHONE))[1] ?? '';
    const [, since = ''] = /own refuses the account \(12: no credit\) since (.+)$/.exec(clock) ?? [];
    expect(since).toMatch(/\d\d:\d\d$/);
    const over = `Expired while own refused the account (12: no credit), since ${since}.`;
    expect((await run('list', '--phone', PHONE))[2]).toContain(over);
    const [queued, expired] = (await run('list', '--phone', PHONE, '--json')).map(
      (line) => JSON.parse(line) as unknown,
    );
    const text = `own refuses the account (12: no credit) since ${since}`;
    expect(queued).toMatchObject({ waitingFor: 'account', waitingText: text });
    expect(expired).toMatchObject({ waitingFor: null, waitingText: null, reasonText: over });
    expect((await run('list', '--phone', PHONE, '--csv'))[1]?.trim()).toMatch(
      new RegExp(`,account,own refuses the account \\(12: no credit\\) since ${since}$`),
    );
  });

  it('shows the receipt of a code beside its state', async () => {
    const { store } = deliveries;
    const [id] = [await code(PHONE)];
    const leaseUntil = START + 30_000;
    await store.outbox.claim({ channel: 'sms', owner: 'w', limit: 1, now: START, leaseUntil });
    await store.outbox.settle({
      ...{ id, owner: 'w', leaseUntil, state: 'sent', nextAttemptAt: START, attempted: true, erase: true },
      ...{ providerId: 'P', awaitsReceipt: true, gateway: 'own', reason: null, now: START },
    });
    const byReceipt = (choice: string) => run('list', '--receipt', choice, '--newer-than', 'any');
    expect((await byReceipt('none'))[1]).toMatch(/ sms +sent, no receipt +/);
    expect(await byReceipt('undelivered')).toEqual(['No messages match.']);
    await storeReceipt(store, 'P', { state: 'undelivered', code: '7: off', at: START + 5, parts: 2 });
    expect((await byReceipt('undelivered'))[1]).toMatch(/ sms +sent, undelivered +/);
    expect(await byReceipt('none')).toEqual(['No messages match.']);
    expect(JSON.parse((await run('list', '--phone', PHONE, '--json'))[0] ?? '')).toMatchObject({
      ...{ state: 'sent', parts: 2, receipt: 'undelivered', receiptCode: '7: off' },
      receiptTime: new Date(START + 5).toISOString(),
      receiptTimeIs: 'by',
    });
    const shown = (await run('show', id)).join('\n');
    expect(shown).toMatch(/^receipt +undelivered\nreceipt code +7: off\nreceipt time +\S.*\nparts +2$/m);
    expect(shown).toContain('Not delivered, the gateway reported');
  });

  it.each([
    ['at', { isExact: true }, 'delivered 10:00:09', 'delivered at'],
    ['by', {}, 'delivered by 10:00:09', 'delivered by'],
  ] as const)('says that a code was delivered %s a time', async (is, more, listed, named) => {
    const { store } = deliveries;
    const id = await code(PHONE);
    const leaseUntil = START + 30_000;
    await store.outbox.claim({ channel: 'sms', owner: 'w', limit: 1, now: START, leaseUntil });
    await store.outbox.settle({
      ...{ id, owner: 'w', leaseUntil, state: 'sent', nextAttemptAt: START, attempted: true, erase: true },
      ...{ providerId: 'P', awaitsReceipt: true, gateway: 'own', reason: null, now: START },
    });
    const at = Math.floor(START / 86_400_000) * 86_400_000 + 36_009_000;
    await storeReceipt(store, 'P', { state: 'delivered', at, ...more });
    const line = (await run('list', '--phone', PHONE))[1];
    expect(line).toContain(` sent, ${listed} `);
    expect(JSON.parse((await run('list', '--phone', PHONE, '--json'))[0] ?? '')).toMatchObject({
      ...{ receipt: 'delivered', receiptTime: new Date(at).toISOString(), receiptTimeIs: is },
    });
    expect((await run('list', '--phone', PHONE, '--csv'))[1]).toContain(
      `${new Date(at).toISOString()},${is},`,
    );
    expect((await run('show', id)).join('\n')).toMatch(new RegExp(`^${named} +.*10:00:09$`, 'm'));
  });

  it('prints a table as CSV in which a spreadsheet finds no formulas', async () => {
    const { store } = deliveries;
    await store.messages.enqueue({
      ...{
        channel: 'mark',
        recipient: '=cmd("x")',
        school: 'http://school.example',
        note: '-1+2',
        payload: {},
      },
      ...{ dedupeKey: null, createdAt: START, expiresAt: START + 1 },
    });
    const none = await runWhole('list', '--note', 'none', '--newer-than', 'any', '--csv');
    expect(none.out).toBe(`${FIELDS.join(',')}\r\n`);
    const { out } = await runWhole('list', '--note=-1+2', '--newer-than', 'any', '--csv');
    const [header, row, end] = out.split('\r\n');
    expect([header, end]).toEqual([FIELDS.join(','), '']);
    expect(row).toContain(
      `,mark,queued,"'=cmd(""x"")",,http://school.example,,'-1+2,,0,,,,2026-03-02T10:00:00.000Z,`,
    );
    await code(PHONE);
    expect((await runWhole('list', '--channel', 'sms', '--newer-than', 'any', '--csv')).out).toContain(
      ',sms,queued,+90...33,,',
    );
  });

  it('shows refused codes of a number, and says what a retry would do and leave out', async () => {
    const { store } = deliveries;
    const now = Date.now();
    const refusal = { reason: 'cool_down', bound: 60, times: 2, firstAt: now - 9000, lastAt: now } as const;
    await store.write(({ refusals }) => refusals.record([{ phone: PHONE, ...refusal }]));
    expect((await run('list', '--phone', PHONE)).at(-1)).toMatch(
      /^refused .*: less than 60 seconds after the last code \(2 times until /,
    );
    const failed = async (reason: Reason, life: number): Promise<string> => {
      const id = await store.messages.enqueue({
        ...{ channel: 'sms', recipient: PHONE, school: '', payload: { code: '84021' }, dedupeKey: null },
        ...{ createdAt: now - 1000, expiresAt: now + life },
      });
      await failMessages(store, { channel: 'sms', reason, now });
      return id;
    };
    const unclear = await failed({ code: 'provider_timeout' }, 300_000);
    await failed({ code: 'provider_rejected', status: 400 }, 300_000);
    await failed({ code: 'provider_rejected', status: 400 }, -500);
    const left = 'Left out: 1 expired code, 1 SMS that may have been sent.';
    expect(await run('retry', '--state', 'failed', '--dry-run')).toEqual([
      `Would requeue 1 message of the last 24 hours. ${left} Nothing was changed.`,
    ]);
    expect(await run('retry', '--state', 'failed', '--dry-run', '--perhaps-sent')).toEqual([
      'Would requeue 2 messages of the last 24 hours. Left out: 1 expired code. Nothing was changed.',
    ]);
    expect(await run('list', '--state', 'failed')).toHaveLength(5);
    expect(await run('retry', '--state', 'failed')).toEqual([
      `Requeued 1 message of the last 24 hours. ${left}`,
    ]);
    expect(await run('retry', unclear, '--perhaps-sent')).toEqual(['Requeued 1 message.']);
  });

  it('lists, retries and cancels messages of the last 24 hours by default, and prints this', async () => {
    const now = Date.now();
    const push = async (hours: number) => {
      const id = await deliveries.store.messages.enqueue({
        ...{
          channel: 'push',
          recipient: 'D1',
          school: 'http://school.example',
          payload: {},
          dedupeKey: null,
        },
        ...{ createdAt: now, expiresAt: now + 300_000 },
      });
      return makeOlder(deliveries.database.engine(), id, now - hours * 3_600_000);
    };
    const old = await push(25);
    const young = await push(23);
    const listed = await run('list', '--state', 'queued');
    expect(listed.slice(1)).toEqual([
      expect.stringContaining(young),
      'Messages of the last 24 hours. Older: --newer-than 7d, or any',
    ]);
    const csv = await runWhole('list', '--csv');
    expect(csv.out).not.toContain(old);
    expect(csv.err).toBe(`${listed.at(-1) ?? ''}\n`);
    expect((await run('list', '--newer-than', '7d')).map((line) => line.slice(0, 36)).slice(1)).toEqual([
      young,
      old,
    ]);
    expect(await run('list', '--older-than', '1d')).toEqual([
      expect.anything(),
      expect.stringContaining(old),
    ]);

    expect(await run('cancel', '--channel', 'push')).toEqual(['Cancelled 1 message of the last 24 hours.']);
    expect(await run('cancel', '--channel', 'push', '--newer-than', '7d')).toEqual([
      'Cancelled 1 message of the last 7 days.',
    ]);
    expect(await run('retry', '--state', 'suppressed')).toEqual(['Requeued 1 message of the last 24 hours.']);
    expect(await run('retry', old)).toEqual(['Requeued 1 message.']);
    expect(await runWhole('cancel')).toMatchObject({ code: 1 });
    expect((await runWhole('list', '--newer-than', 'soon')).err).toContain('not a valid age or time');
  });

  it('shows a request with the results of its push messages, and each with its attempts', async () => {
    const { store, push } = deliveries;
    await store.importFolder(SAMPLE_SCHOOL);
    const service = deliveries.start();
    let isBusy = true;
    push().usual = ({ body }) => {
      if (body.includes('"sample-token-01"')) return REFUSED;
      const busy = isBusy && body.includes('"sample-token-02"');
      if (busy) isBusy = false;
      return { status: busy ? 503 : 200 };
    };
    const request = await service.sendMarks();
    await service.line({ messageId: request, state: 'open' });
    const made = await store.deliveries.list({ request }, 1000);
    await service.lines(made.length, { channel: 'push', attempt: 1 }); // Time that goes by ends their leases.
    service.pass(60_000);
    const { pushes, sent, withoutDevice } = await service.ended(request);
    expect(sent).toBe(pushes - 1);

    const shown = await run('show', request);
    expect(shown).toContain('state               partly');
    expect(shown.join('\n')).toContain('\nSome of its push messages were sent, others were not. ');
    expect(shown).toContain(`without a device    ${String(withoutDevice)}`);
    expect(shown).toContain('reason              pushes_not_sent');
    expect(shown).toContain(`explanation         1 of ${String(pushes)} not sent: ${REASON}`);
    expect(shown).toContain(`${String(sent).padEnd(13)}  sent`);
    expect(shown).toContain(`1              failed  sender_mismatch  ${REASON}`);
    const messages = await store.deliveries.list({ request }, 1000);
    expect(messages).toHaveLength(pushes);
    expect(shown.slice(-pushes).map((line) => line.slice(0, 36))).toEqual(messages.map(({ id }) => id));

    const failed = messages.find(({ state }) => state === 'failed');
    const ofPush = await run('show', failed?.id ?? '');
    expect(ofPush).toContain(`request             ${request}`);
    expect(ofPush.join('\n')).toContain('Not sent. It will not be retried automatically.');
    expect(ofPush.at(-2)).toMatch(
      /^attempt +at +provider +outcome +status +seconds +parts +provider id +reason +explanation$/,
    );
    expect(ofPush.at(-1)).toMatch(
      /^\d +2026-03-02 10:0\d:00 +fcm +foreign-token +403 +0\.00 +sender_mismatch +The device token belongs to/,
    );

    const retried = messages.find(({ attempts, state }) => state === 'sent' && attempts === 2);
    const [first, second] = (await run('show', retried?.id ?? '')).slice(-2);
    expect(first).toMatch(/^1 +2026-03-02 10:00:00 +fcm +failing +503 /);
    expect(second).toMatch(/^2 .* fcm +sent +200 /);
  });
});
