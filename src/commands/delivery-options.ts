import { type Command, InvalidArgumentError, Option } from 'commander';

import { readSettings } from '../config';
import { OperatorError } from '../errors';
import { readPhone } from '../phones';
import { maskedForms } from '../privacy';
import { canonicalSchoolUrl, type DeliveryFilter, MESSAGE_CHANNELS, MESSAGE_STATES } from '../store';
import type { MessageChannel, MessageState, PhoneFilter } from '../store';
import type { Host } from './run-command';

/** The options by which messages are named, as commander reads them. */
export interface FilterOptions {
  readonly phone?: string;
  readonly class?: string;
  readonly note?: string;
  readonly student?: string;
  readonly school?: string;
  readonly request?: string;
  readonly reason?: string;
  readonly state?: MessageState;
  readonly channel?: MessageChannel;
  readonly olderThan?: number;
  readonly newerThan?: number;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Codes name none of these, so that there would never be any. */
const NOT_OF_CODES = ['class', 'note', 'student', 'school', 'request'];

/** Gives a command the options by which messages are named. */
export function withFilters(target: Command): Command {
  return target
    .addOption(
      new Option('--phone <number>', 'only codes for this number, however it is written').conflicts(
        NOT_OF_CODES,
      ),
    )
    .option('--class <id>', 'only requests for this class; with --channel push, their push messages')
    .option('--note <id>', 'only requests for this note; with --channel push, their push messages')
    .option('--student <id>', 'only push messages to the devices that this student has now')
    .option('--school <url>', 'only those of this school')
    .option('--request <id>', 'only the push messages of this request')
    .option('--reason <text>', 'only those whose reason has this part, in any case')
    .addOption(new Option('--state <state>', 'only those in this state').choices(MESSAGE_STATES))
    .addOption(new Option('--channel <channel>', 'only those of this channel').choices(MESSAGE_CHANNELS))
    .option('--older-than <age>', 'only those older than this, such as 90s, 10m, 2h, 1d', age)
    .option('--newer-than <age>', 'only those newer than this', age);
}

/** @throws OperatorError where the number is none */
export function filterOf(options: FilterOptions, env: Host['env']): DeliveryFilter {
  const { phone, note, student, school, request, reason, state, channel, olderThan, newerThan } = options;
  const now = Date.now();
  return {
    ...(phone !== undefined && { phone: phoneFilter(phone, env) }),
    ...(options.class !== undefined && { classId: options.class }),
    ...(note !== undefined && { note }),
    ...(student !== undefined && { student }),
    ...(school !== undefined && { school: canonicalSchoolUrl(school) }),
    ...(request !== undefined && { request }),
    ...(reason !== undefined && { reason }),
    ...(state !== undefined && { state }),
    ...(channel !== undefined && { channel }),
    ...(olderThan !== undefined && { createdBefore: now - olderThan }),
    ...(newerThan !== undefined && { createdAfter: now - newerThan }),
  };
}

function phoneFilter(text: string, env: Host['env']): PhoneFilter {
  const country = readSettings(env).config.DEFAULT_COUNTRY;
  const number = readPhone(text, country);
  if (number === undefined) {
    const hint = country === undefined ? '' : ` (numbers without a country code are of ${country})`;
    throw new OperatorError(`--phone is no telephone number${hint}.`);
  }
  return { number, masked: maskedForms(number) };
}

function age(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It is a number and s, m, h or d, such as 10m.');
  return Number(count) * (UNITS[unit] ?? 0);
}
