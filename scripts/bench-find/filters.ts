import { maskedForms } from '../../src/support/masks';
import type { DeliveryFilter } from '../../src/store';
import { REASONS, schoolUrl, studentId, timeOf, youngNumber } from '../harness/messages';

type Part = keyof DeliveryFilter;
type Values = { readonly [K in Part]?: readonly NonNullable<DeliveryFilter[K]>[] };

/** Three that are asked for together in daily work, beside all pairs. */
const TYPICAL: readonly (readonly Part[])[] = [
  ['school', 'classId', 'state'],
  ['school', 'classId', 'note'],
  ['school', 'state', 'reason'],
  ['school', 'state', 'createdAfter'],
  ['school', 'student', 'state'],
  ['request', 'state', 'reason'],
  ['channel', 'state', 'createdAfter'],
  ['channel', 'state', 'reason'],
  ['channel', 'school', 'state'],
  ['channel', 'school', 'classId'],
  ['channel', 'classId', 'state'],
  ['channel', 'classId', 'note'],
  ['channel', 'note', 'state'],
  ['phone', 'state', 'createdAfter'],
  ['state', 'reason', 'createdAfter'],
  ['createdAfter', 'createdBefore', 'reason'],
];

/** Values that very many messages have, few, and none. */
function valuesOf(count: number, request: string): Values {
  const day = 86_400_000;
  const number = youngNumber(count);
  const phone = (number: string) => ({ number, masked: maskedForms(number) });
  return {
    channel: ['sms', 'push', 'mark'],
    state: ['failed', 'sent', 'queued', 'expired'],
    school: [schoolUrl(0), schoolUrl(7), 'http://none.example'],
    classId: ['1A', '3C', 'none'],
    note: ['N1', 'N300', 'none'],
    student: [studentId('1A', 3), 'none'],
    request: [request, 'none'],
    reason: [...Object.values(REASONS), 'cancelled'],
    // One that is not masked yet, with and without its country.
    phone: [number, number.replace('+90', '0')].map(phone),
    createdBefore: [timeOf(count / 2), timeOf(0) + day],
    createdAfter: [timeOf(count) - day, timeOf(count / 2)],
  };
}

/** Each part of a filter by itself, all pairs of them, and what is TYPICAL. */
export function filtersFor(count: number, request: string): readonly DeliveryFilter[] {
  const values = valuesOf(count, request);
  const parts = Object.keys(values) as Part[]; // Of an object of these keys.
  const pairs = parts.flatMap((one, at) => parts.slice(at + 1).map((other) => [one, other]));
  return [[], ...parts.map((part) => [part]), ...pairs, ...TYPICAL].flatMap((together) =>
    together.reduce<readonly DeliveryFilter[]>(
      (filters, part) =>
        filters.flatMap((filter) => (values[part] ?? []).map((value) => ({ ...filter, [part]: value }))),
      [{}],
    ),
  );
}

/** A filter in few words. */
export function described(filter: DeliveryFilter): string {
  const parts = Object.entries({ ...filter, phone: filter.phone?.number }).flatMap(([part, value]) =>
    value === undefined
      ? []
      : [`${part} ${part.startsWith('created') ? new Date(value as number).toISOString() : String(value)}`],
  );
  return parts.length === 0 ? 'none' : parts.join(', ');
}
