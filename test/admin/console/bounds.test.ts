// How many messages the console changes and gives at once.

import express from 'express';
import request from 'supertest';

import { change, planChange } from '../../../src/admin/console/message-changes';
import { sendCsv } from '../../../src/admin/console/message-csv';
import { TimeText } from '../../../src/admin/reports/time-text';
import {
  type DeliveryFilter,
  type DeliveryRecord,
  NO_HOLDS,
  type PageStart,
  type Store,
} from '../../../src/store';

/** Limits the messages of a CSV, and those of a change. */
const MAX_RECORDS = 10_000;
/** A page may be shorter than requested without being the last one. */
const LONGEST_PAGE = 333;
const NOW = Date.parse('2026-03-02T10:00:00Z');

const RECORD: DeliveryRecord = {
  ...{ id: '', channel: 'push', state: 'queued', recipient: 'DEV-1', school: '' },
  ...{ attempts: 0, createdAt: NOW, updatedAt: NOW, nextAttemptAt: NOW, expiresAt: NOW + 1000 },
  ...{ providerId: null, reason: null, caller: null, requestId: null, withoutDevice: null, note: null },
  ...{ parts: null, receipt: null, receiptCode: null, receiptAt: null, isReceiptExact: false },
};

/** Makes a store in which this number of messages wait. */
function storeWith(messages: number) {
  const cancelled: string[] = [];
  let pages = 0;
  const deliveries = {
    page: ({ state }: DeliveryFilter, limit: number, { before = '0' }: PageStart = {}) => {
      pages += 1;
      if (limit < 1 || pages > messages + 10)
        throw new Error(`A page of ${String(limit)}, the ${String(pages)}th`);
      const from = Number(before);
      const until =
        state === undefined || state === 'queued'
          ? Math.min(messages, from + Math.min(limit, LONGEST_PAGE))
          : from;
      const found = Array.from({ length: until - from }, (_, at) => ({
        ...RECORD,
        id: `m-${String(from + at)}`,
      }));
      return Promise.resolve({
        messages: found,
        next: until < messages && until > from ? String(until) : undefined,
      });
    },
    cancel: ({ ids = [] }: DeliveryFilter) => {
      cancelled.push(...ids);
      return Promise.resolve(ids.length);
    },
  };
  // The parts of a store that are asked here.
  return { store: { deliveries } as unknown as Pick<Store, 'deliveries'>, cancelled };
}

it.each([0, 1, 500, 501, MAX_RECORDS, MAX_RECORDS + 1])(
  'the CSV of %d messages contains each once, up to ten thousand',
  async (messages) => {
    const app = express().get('/', (_request, response) => {
      const view = { filter: {}, moment: { now: NOW, holds: NO_HOLDS }, time: new TimeText('UTC') };
      return sendCsv(response, storeWith(messages).store, view);
    });
    const { text } = await request(app).get('/').buffer(true);
    const ids = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    expect(ids).toEqual(
      Array.from({ length: Math.min(messages, MAX_RECORDS) }, (_, at) => `m-${String(at)}`),
    );
  },
);

it.each([1, 200, 201, MAX_RECORDS, MAX_RECORDS + 1])(
  'of %d messages, as many are changed as were counted, up to ten thousand',
  async (messages) => {
    const { store, cancelled } = storeWith(messages);
    const changed = Math.min(messages, MAX_RECORDS);
    expect(await planChange(store, 'cancel', {}, NOW)).toEqual({
      messages: changed,
      perhapsSent: 0,
      leftOut: 0,
      channels: [['push', changed]],
      isCut: messages > MAX_RECORDS,
    });
    expect(await change(store, 'cancel', {}, NOW, false)).toBe(changed);
    expect(new Set(cancelled).size).toBe(changed);
    expect(cancelled).toHaveLength(changed);
  },
);
