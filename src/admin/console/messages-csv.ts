import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Response } from 'express';

import { systemErrorCode } from '../../support/errors';
import { deliveryCsv } from '../reports';
import type { DeliveryFilter, Store } from '../../store';

/** More than a person looks through; commands have no such bound. */
const MOST_RECORDS = 10_000;
const AT_ONCE = 500;

/** Sends the messages of a filter as CSV, the newest first, page by page as fast as they are read. */
export async function sendCsv(
  response: Response,
  store: Pick<Store, 'deliveries'>,
  filter: DeliveryFilter,
): Promise<void> {
  response.set({
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': 'attachment; filename="messages.csv"',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  try {
    await pipeline(Readable.from(csvPages(store, filter)), response);
  } catch (error) {
    // Whoever asked has gone.
    if (systemErrorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* csvPages(
  { deliveries }: Pick<Store, 'deliveries'>,
  filter: DeliveryFilter,
): AsyncGenerator<string> {
  yield deliveryCsv([], filter);
  let before: string | undefined;
  let records = 0;
  do {
    const page = await deliveries.page(filter, Math.min(AT_ONCE, MOST_RECORDS - records), before);
    const text = deliveryCsv(page.messages, filter);
    // The head stands above all of them once.
    yield text.slice(text.indexOf('\n') + 1);
    records += page.messages.length;
    before = page.next;
  } while (before !== undefined && records < MOST_RECORDS);
}
