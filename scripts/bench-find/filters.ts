import { maskedForms } from '../../src/support/masks';
import type { DeliveryFilter } from '../../src/store';
import { REASONS, schoolUrl, studentId, timeOf, youngNumber } from '../harness/messages';

const DAY_MS = 86_400_000;

type Part = keyof DeliveryFilter;
type Values = { readonly [K in Part]?: readonly NonNullable<DeliveryFilter[K]>[] };

/** Three that are asked for together in daily work, beside all pairs. */
const TYPICAL: readonly (readonly Part[])[] = [
  ['school', 'classId', 'state'],
  ['school', 'classId', 'note'],
  ['channel', 'state', 'reason'],
];

/** Values that very many messages have, few, and none. */
function valuesOf(count: number, request: string): Values {
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
  };
}

/**
 * Each part of a filter by itself, all pairs of them, and what is TYPICAL: of the last day, which is looked through
 * unless another time is asked for, and of all time.
 */
export function filtersFor(count: number, request: string): readonly DeliveryFilter[] {
  const values = valuesOf(count, request);
  const parts = Object.keys(values) as Part[]; // Of an object of these keys.
  const pairs = parts.flatMap((one, at) => parts.slice(at + 1).map((other) => [one, other]));
  const filters = [[], ...parts.map((part) => [part]), ...pairs, ...TYPICAL].flatMap((together) =>
    together.reduce<readonly DeliveryFilter[]>(
      (filters, part) =>
        filters.flatMap((filter) => (values[part] ?? []).map((value) => ({ ...filter, [part]: value }))),
      [{}],
    ),
  );
  return [{ createdAfter: timeOf(count) - DAY_MS }, {}].flatMap((window) =>
    filters.map((filter) => ({ ...filter, ...window })),
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
