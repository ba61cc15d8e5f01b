// Finds messages by many filters, and holds what is found against a search through all of them, in memory.

import fc from 'fast-check';
import { sql } from 'kysely';

import { writeSchool } from '../../../scripts/harness';
import { maskedForms } from '../../../src/support/masks';
import {
  type DeliveryFilter,
  isSamePhone,
  MESSAGE_CHANNELS,
  MESSAGE_STATES,
  type ReasonCode,
  RECEIPT_CHOICES,
  type Store,
} from '../../../src/store';
import type { Engine } from '../../../src/store/engine/engine';
import type { MessageTable } from '../../../src/store/engine/schema';
import { Messages, timeOfMessageId } from '../../../src/store/outbox/messages';
import { toQuestion } from '../../../src/store/outbox/delivery-filter';
import { Random } from '../../harness/random';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const MESSAGES = 300;
const FILTERS = 50;
/** So many pages of each filter are read. */
const PAGES = 3;
const SEEDS = [1, 2, 3, 4] as const;

/** Two that begin alike for longer than the index tells. */
const LONG = `http://long.example/${'x'.repeat(200)}`;
const SCHOOLS = ['http://a.example', 'http://b.example', `${LONG}1`, `${LONG}2`] as const;
const CLASSES = ['1A', '2B'] as const;
const NOTES = ['N1', 'N2', 'N3'] as const;
/** Each of a student of a school; the last one of nobody. */
const DEVICES = [
  { id: 'D1', student: 'S1', school: SCHOOLS[0] },
  { id: 'D2', student: 'S1', school: SCHOOLS[1] },
  { id: 'D3', student: 'S2', school: SCHOOLS[0] },
] as const;
const RECIPIENTS = ['D1', 'D2', 'D3', 'D4'] as const;
const PHONES = ['+905551112233', '05551112233', '+904441112233', '+905551112234'] as const;
const REASONS = ['provider_failing', 'provider_rejected', 'expired'] as const satisfies readonly ReasonCode[];

const RECEIPTS = ['waiting', 'delivered', 'undelivered'] as const;

type Row = Pick<MessageTable, 'id' | 'channel' | 'state' | 'school' | 'recipient'> &
  Pick<MessageTable, 'request_id' | 'note' | 'reason' | 'receipt'>;

describe.each(ENGINES)('a search for messages with any filter on %s', (name) => {
  const database = useDatabase(name, { per: 'block' });
  let store: Store;
  let engine: Engine;
  /** The newest first. */
  let rows: readonly Row[];
  // Ids never run back: each engine has an hour of its own.
  const start = START + ENGINES.indexOf(name) * 3_600_000;

  beforeAll(async () => {
    store = await database.open();
    await store.importFolder(
      writeSchool(`${database.folder}/csv`, {
        schools: SCHOOLS.map((school) => `${school},School`),
        students: DEVICES.map(({ student, school }) => `${school},${student},Name,Y,`),
        devices: DEVICES.map(({ id, student, school }) => `${id},${school},${student},token,android,`),
      }),
    );
    engine = database.engine();
    await fill(engine, start);
    rows = await engine.direct.kysely.selectFrom('messages').selectAll().orderBy('id', 'desc').execute();
  });

  /** Returns what is cancelled or tried again, where that is asked for. */
  async function idsMeant(filter: DeliveryFilter): Promise<readonly string[]> {
    const { direct } = engine;
    const { rows: meant } = await sql<{ id: string }>`select id from messages
      where ${(await toQuestion(direct, filter)).all} order by id desc`.execute(direct.kysely);
    return meant.map(({ id }) => id);
  }

  it.each(SEEDS)('finds all matching messages and no others, the newest first; seed %i', async (seed) => {
    let found = 0;
    const property = fc.asyncProperty(
      filters(rows, start),
      fc.integer({ min: 1, max: 60 }),
      async (filter, limit) => {
        const wanted = rows.filter(matches(filter, rows)).map(({ id }) => id);
        expect(await idsMeant(filter)).toEqual(wanted);
        const seen: string[] = [];
        let before: string | undefined;
        for (let pages = 0; pages === 0 || (before !== undefined && pages < PAGES); pages += 1) {
          const page = await store.deliveries.page(filter, limit, { before });
          expect(page.messages.length).toBeLessThanOrEqual(limit);
          seen.push(...page.messages.map(({ id }) => id));
          before = page.next;
        }
        expect(seen).toEqual(before === undefined ? wanted : wanted.slice(0, PAGES * limit));
        // And back again, to what is newer than the last one.
        const last = seen.pop();
        const newer: string[] = [];
        let after = last;
        while (after !== undefined) {
          const page = await store.deliveries.page(filter, limit, { after });
          newer.unshift(...page.messages.map(({ id }) => id));
          after = page.next;
        }
        expect(newer).toEqual(seen);
        if (wanted.length > 0) found += 1;
      },
    );
    await fc.assert(property, { numRuns: FILTERS, seed });
    expect(found).toBeGreaterThan(FILTERS / 4);
  });
});

/** Messages of all kinds, two in each millisecond. */
async function fill(engine: Engine, start: number): Promise<void> {
  const random = new Random(SEEDS[0]);
  await engine.write(async (connection) => {
    const messages = new Messages(connection);
    const requests: { readonly id: string; readonly school: string }[] = [];
    for (let at = 0; at < MESSAGES; at += 1) {
      const channel = random.pick(MESSAGE_CHANNELS);
      const request = channel === 'push' ? requests[random.below(requests.length + 1)] : undefined;
      const school = channel === 'sms' ? '' : (request?.school ?? random.pick(SCHOOLS));
      const phone = random.pick(PHONES);
      const recipient = {
        sms: random.once(2) ? phone : (maskedForms(phone)[0] ?? ''),
        push: random.pick(RECIPIENTS),
        mark: random.pick(CLASSES),
      }[channel];
      const createdAt = start + Math.floor(at / 2);
      const id = await messages.enqueue({
        ...{ channel, recipient, school, payload: {}, dedupeKey: null, createdAt, expiresAt: createdAt },
        ...(channel === 'mark' && { note: random.pick(NOTES) }),
        ...(request && { requestId: request.id }),
      });
      if (channel === 'mark') requests.push({ id, school });
      const state = random.pick(MESSAGE_STATES);
      const reason = random.once(2) ? null : random.pick(REASONS);
      const receipt = state === 'sent' ? random.pick([...RECEIPTS, null]) : null;
      const change = connection.kysely.updateTable('messages').set({ state, reason, receipt });
      await change.where('id', '=', id).execute();
    }
  });
}

/** Up to four parts of a filter, of what there is and of what there is not, and a window of time. */
function filters(rows: readonly Row[], start: number): fc.Arbitrary<DeliveryFilter> {
  const ids = rows.map(({ id }) => id);
  const requests = rows.filter(({ channel }) => channel === 'mark').map(({ id }) => id);
  const phone = fc
    .constantFrom(...PHONES, '5551112233', '+15551112233')
    .map((number) => ({ number, masked: maskedForms(number) }));
  const byRequest = [
    fc.record({ ids: fc.subarray([...ids, 'none'], { maxLength: MESSAGES }) }),
    fc.record({ channel: fc.constantFrom(...MESSAGE_CHANNELS) }),
    fc.record({ request: fc.constantFrom(...requests.slice(-20), 'none') }),
    fc.record({ classId: fc.constantFrom(...CLASSES, '3C') }),
    fc.record({ note: fc.constantFrom(...NOTES, 'N4') }),
    fc.record({ student: fc.constantFrom('S1', 'S2', 'S3') }),
    fc.record({ school: fc.constantFrom(...SCHOOLS, 'http://c.example') }),
  ] as const;
  const others = [
    fc.record({ phone }),
    fc.record({ state: fc.constantFrom(...MESSAGE_STATES) }),
    fc.record({ receipt: fc.constantFrom(...RECEIPT_CHOICES) }),
    fc.record({ reason: fc.constantFrom<ReasonCode>(...REASONS, 'cancelled') }),
  ] as const;
  // Two messages in each millisecond: a third of them are in all windows.
  const end = start + MESSAGES / 2;
  const window = fc.record(
    {
      createdAfter: fc.integer({ min: start - 1, max: start + MESSAGES / 6 }),
      createdBefore: fc.integer({ min: end - MESSAGES / 6, max: end + 1 }),
    },
    { requiredKeys: [] },
  );
  const some = (...parts: readonly fc.Arbitrary<DeliveryFilter>[]) =>
    fc
      .uniqueArray(fc.oneof(...parts), { maxLength: 4, selector: (each) => Object.keys(each)[0] })
      .map((each) => Object.assign({}, ...each) as DeliveryFilter);
  return fc
    .tuple(fc.oneof(some(...byRequest), some(...byRequest, ...others)), window)
    .map(([parts, span]) => ({ ...parts, ...span }));
}

/** As DeliveryFilter documents it. */
function matches(filter: DeliveryFilter, rows: readonly Row[]): (row: Row) => boolean {
  const { ids, state, school, request, classId, note, student, phone, reason, receipt } = filter;
  const { createdBefore = Infinity, createdAfter = -Infinity } = filter;
  const isForRequests = classId !== undefined || note !== undefined;
  const channel =
    filter.channel ??
    (phone && 'sms') ??
    (request === undefined && student === undefined ? undefined : 'push') ??
    (isForRequests ? 'mark' : undefined);
  const devices = DEVICES.filter(
    (each) => each.student === student && (school === undefined || each.school === school),
  ).map(({ id }) => id as string);
  const isMeantRequest = (row: Row | undefined) =>
    row?.channel === 'mark' &&
    (classId === undefined || row.recipient === classId) &&
    (note === undefined || row.note === note);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return (row) =>
    (ids === undefined || ids.includes(row.id)) &&
    (channel === undefined || row.channel === channel) &&
    (state === undefined || row.state === state) &&
    (school === undefined || row.school === school) &&
    (request === undefined || row.request_id === request) &&
    (!isForRequests || isMeantRequest(channel === 'push' ? byId.get(row.request_id ?? '') : row)) &&
    (student === undefined || devices.includes(row.recipient)) &&
    (phone === undefined ||
      (row.channel === 'sms' &&
        (phone.masked.includes(row.recipient) ||
          (!row.recipient.includes('...') && isSamePhone(row.recipient, phone.number))))) &&
    (reason === undefined || row.reason === reason) &&
    (receipt === undefined || row.receipt === (receipt === 'none' ? 'waiting' : receipt)) &&
    timeOfMessageId(row.id) < createdBefore &&
    timeOfMessageId(row.id) > createdAfter;
}
