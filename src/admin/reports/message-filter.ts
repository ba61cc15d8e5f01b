import type { Config } from '../../config';
import { OperatorError } from '../../support/errors';
import { readPhone } from '../../support/phones';
import { maskedForms } from '../../support/masks';
import {
  canonicalKey,
  canonicalSchoolUrl,
  type DeliveryFilter,
  type MessageChannel,
  type MessageState,
  type PhoneFilter,
  type ReasonCode,
} from '../../store';

/** Which messages an operator means, as a command and a page ask for it. */
export interface MessageNaming {
  readonly phone?: string;
  readonly class?: string;
  readonly note?: string;
  readonly student?: string;
  readonly school?: string;
  readonly request?: string;
  readonly reason?: ReasonCode;
  readonly state?: MessageState;
  readonly channel?: MessageChannel;
  /** Milliseconds since 1970 UTC. */
  readonly createdBefore?: number;
  readonly createdAfter?: number;
}

/** Codes name none of these, so that there would never be any. */
export const NOT_OF_CODES = [
  'class',
  'note',
  'student',
  'school',
  'request',
] as const satisfies readonly (keyof MessageNaming)[];

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * @param country of numbers without a country code
 * @throws OperatorError where the number is none, or something is asked for beside it that codes do not name
 */
export function filterOf(naming: MessageNaming, country: Config['DEFAULT_COUNTRY']): DeliveryFilter {
  const { phone, class: classId, note, student, school, ...others } = naming;
  const foreign = NOT_OF_CODES.find((name) => phone !== undefined && naming[name] !== undefined);
  if (foreign !== undefined) {
    throw new OperatorError(
      `Only codes are found by a number, and they name no ${foreign}: ask for one or the other.`,
    );
  }
  return {
    ...others,
    ...(phone !== undefined && { phone: phoneFilter(phone, country) }),
    ...(classId !== undefined && { classId: canonicalKey(classId) }),
    ...(note !== undefined && { note: canonicalKey(note) }),
    ...(student !== undefined && { student: canonicalKey(student) }),
    ...(school !== undefined && { school: canonicalSchoolUrl(school) }),
  };
}

function phoneFilter(text: string, country: Config['DEFAULT_COUNTRY']): PhoneFilter {
  const number = readPhone(text, country);
  if (number === undefined) {
    const hint = country === undefined ? '' : ` (numbers without a country code are of ${country})`;
    throw new OperatorError(`That is no telephone number${hint}.`);
  }
  return { number, masked: maskedForms(number) };
}

/** An age such as 90s, 10m, 2h or 1d in milliseconds; undefined for any other text. */
export function readAge(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}
