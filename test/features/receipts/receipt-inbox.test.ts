import { Registry } from 'prom-client';

import { writeGatewaysFile } from '../../../scripts/harness/delivery';
import { loadConfig } from '../../../src/config';
import { BodyTooComplex } from '../../../src/delivery';
import { ReceiptInbox } from '../../../src/features/receipts/receipt-inbox';
import type { ReceiptCall } from '../../../src/features/receipts/receipt-reader';
import { ReceiptCounter } from '../../../src/features/receipts/recording';
import type { Receipt, Receipts, UnmatchedReceipt } from '../../../src/features/receipts/stored-receipts';
import { useFolderPerTest } from '../../harness/use-folder';

const SECRET = 'S3cret-of-this-gateway';
type Results = Awaited<ReturnType<Receipts['record']>>;

describe('the receipt inbox', () => {
  const folder = useFolderPerTest();

  function config(receiptUrl = `https://x.example/receipts/gateway/${SECRET}`) {
    const values = { preset: 'verimor', user: 'u', password: 'p', sender: 'OKUL', receiptUrl };
    return loadConfig({ SMS_CHANNEL: 'http', GATEWAYS_FILE: writeGatewaysFile(folder(), values) });
  }

  /** Opens an inbox on a store that answers each write when the test lets it. */
  function open() {
    const writes: { ids: readonly string[]; answer: (results: Results) => void; fail: () => void }[] = [];
    /** Log lines and notes about receipts that no rule names. */
    const unread: unknown[] = [];
    let onWrite = (): void => undefined;
    const receipts = {
      record: (given: readonly Receipt[]) =>
        new Promise<Results>((resolve, reject) => {
          const fail = (): void => {
            reject(new Error('full'));
          };
          writes.push({ ids: given.map(({ providerId }) => providerId), answer: resolve, fail });
          onWrite();
        }),
      noteUnmatched: (given: readonly UnmatchedReceipt[]) => Promise.resolve(void unread.push(...given)),
    };
    const log = {
      unread: (...line: readonly unknown[]) => void unread.push(line),
    };
    const registry = new Registry();
    const counter = new ReceiptCounter(registry);
    const inbox = new ReceiptInbox(config(), receipts, counter, log, Date.now);
    const written = async (count: number): Promise<void> => {
      if (writes.length >= count) return;
      await new Promise<void>((resolve) => {
        onWrite = () => {
          if (writes.length >= count) resolve();
        };
      });
    };
    return { inbox, writes, written, registry, unread };
  }

  const call = (...ids: readonly number[]): ReceiptCall => ({
    ...{ method: 'POST', query: '', contentType: 'application/json', header: () => undefined },
    body: JSON.stringify(ids.map((id) => ({ campaign_id: id, status: id < 100 ? 'DELIVERED' : 'WAITING' }))),
  });

  it('records the calls of a turn together, and then the calls that came during the write', async () => {
    const { inbox, writes, written, registry } = open();
    const first = [inbox.take('gateway', call(1, 2)), inbox.take('gateway', call(3, 100))];
    await written(1);
    const later = [inbox.take('gateway', call(4)), inbox.take('gateway', call(5))];
    writes[0]?.answer(['recorded', 'early', 'repeated']);
    expect(await Promise.all(first)).toEqual([true, true]);
    await written(2);
    writes[1]?.answer(['unknown', 'recorded']);
    expect(await Promise.all(later)).toEqual([true, true]);
    expect(writes.map(({ ids }) => ids)).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
    const { values } = (await registry.getSingleMetric('delivery_receipts_total')?.get()) ?? { values: [] };
    expect(Object.fromEntries(values.map(({ labels, value }) => [labels['result'], value]))).toEqual({
      ...{ delivered: 2, undelivered: 0, early: 1, repeated: 1, unknown: 1, waiting: 1 },
    });
  });

  it('counts, logs and notes what no rule names, and calls without a receipt', async () => {
    const { inbox, registry, unread } = open();
    const odd = { ...call(1), body: '[{"campaign_id":1,"status":"NEW"},{"status":"NEW"}]' };
    expect(await inbox.take('gateway', odd)).toBe(true);
    expect(await inbox.take('gateway', { ...odd, body: '{"campaign_id":1}' })).toBe(true);
    expect(unread).toEqual([
      ['gateway', 2, ['NEW']],
      { gateway: 'gateway', providerId: '1', unmatched: 'NEW' },
      ['gateway', 1, []],
    ]);
    expect(await registry.getSingleMetricAsString('delivery_receipts_total')).toContain(
      '{gateway="gateway",result="unreadable"} 3',
    );
  });

  it('fails all calls whose write fails, and continues with the next', async () => {
    const { inbox, writes, written } = open();
    const errors: unknown[] = [];
    for (const ids of [[1], [2, 3]])
      inbox.take('gateway', call(...ids)).catch((error: unknown) => errors.push(error));
    await written(1);
    const second = inbox.take('gateway', call(4));
    writes[0]?.fail();
    await written(2);
    expect(errors).toEqual([new Error('full'), new Error('full')]);
    writes[1]?.answer(['recorded']);
    expect(await second).toBe(true);
  });

  it('refuses a body that is nested too deep, and counts it', async () => {
    const { inbox, registry } = open();
    const body = `${'['.repeat(30_000)}1${']'.repeat(30_000)}`;
    await expect(inbox.take('gateway', { ...call(1), body })).rejects.toThrow(BodyTooComplex);
    const { values } = (await registry.getSingleMetric('delivery_receipts_total')?.get()) ?? { values: [] };
    expect(values.find(({ labels }) => labels['result'] === 'unreadable')?.value).toBe(1);
  });

  it('writes at most 1,000 receipts at once', async () => {
    const { inbox, writes, written } = open();
    const ids = Array.from({ length: 600 }, () => 7);
    const calls = [inbox.take('gateway', call(...ids)), inbox.take('gateway', call(...ids))];
    await written(1);
    expect(writes[0]?.ids).toHaveLength(600);
    writes[0]?.answer([]);
    await written(2);
    writes[1]?.answer([]);
    expect(await Promise.all(calls)).toEqual([true, true]);
  });

  it.each([
    { first: 999, second: 1, together: [1000] },
    { first: 1000, second: 1, together: [1000, 1] },
    { first: 999, second: 2, together: [999, 2] },
  ])('writes calls of $first and $second receipts as $together', async ({ first, second, together }) => {
    const { inbox, writes, written } = open();
    const ids = (count: number): readonly number[] => Array.from({ length: count }, () => 7);
    const calls = [inbox.take('gateway', call(...ids(first))), inbox.take('gateway', call(...ids(second)))];
    for (let write = 1; write <= together.length; write += 1) {
      await written(write);
      writes[write - 1]?.answer([]);
    }
    expect(writes.map((each) => each.ids.length)).toEqual(together);
    expect(await Promise.all(calls)).toEqual([true, true]);
  });

  it('accepts the secret that is currently in the file', () => {
    const { inbox } = open();
    expect([inbox.isUsed, inbox.admits('gateway', SECRET), inbox.admits('other', SECRET)]).toEqual([
      ...[true, true, false],
    ]);
    inbox.reload(config(`https://x.example/receipts/gateway/${SECRET}-new`));
    expect([inbox.admits('gateway', SECRET), inbox.admits('gateway', `${SECRET}-new`)]).toEqual([
      false,
      true,
    ]);
    inbox.reload(config(''));
    expect([inbox.isUsed, inbox.admits('gateway', '')]).toEqual([false, false]);
  });
});
