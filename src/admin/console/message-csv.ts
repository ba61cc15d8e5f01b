import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Response } from 'express';

import type { Store } from '../../store';
import { systemErrorCode } from '../../support/errors';
import { deliveryCsv, type RecordView } from '../reports/records';

/** Maximum number of records, more than a person can read; commands have no limit. */
const MAX_RECORDS = 10_000;
const AT_ONCE = 500;

/** Sends a CSV file to be saved. */
export function sendCsvFile(response: Response, name: string, text: string): void {
  response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  response.attachment(name).type('text/csv').send(text);
}

/** Sends the messages of a filter as CSV, newest first, page by page at the client's speed. */
export async function sendCsv(
  response: Response,
  store: Pick<Store, 'deliveries'>,
  view: RecordView,
): Promise<void> {
  response.set({
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': 'attachment; filename="messages.csv"',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  try {
    await pipeline(Readable.from(csvPages(store, view)), response);
  } catch (error) {
    // The client has disconnected.
    if (systemErrorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* csvPages(
  { deliveries }: Pick<Store, 'deliveries'>,
  view: RecordView,
): AsyncGenerator<string> {
  yield deliveryCsv([], view);
  let before: string | undefined;
  let records = 0;
  do {
    const page = await deliveries.page(view.filter, Math.min(AT_ONCE, MAX_RECORDS - records), { before });
    const text = deliveryCsv(page.messages, view);
    // The header row is only sent once.
    yield text.slice(text.indexOf('\n') + 1);
    records += page.messages.length;
    before = page.next;
  } while (before !== undefined && records < MAX_RECORDS);
}
