import { type Command, InvalidArgumentError, Option } from 'commander';

import { readSettings } from '../config';
import { filterOf as filterOfNaming, type MessageNaming, NOT_OF_CODES, readAge } from '../admin/reports';
import { type DeliveryFilter, MESSAGE_CHANNELS, MESSAGE_STATES } from '../store';
import type { Host } from './run-command';

/** The options by which messages are named, as commander reads them; ages in milliseconds. */
export interface FilterOptions extends Omit<MessageNaming, 'createdBefore' | 'createdAfter'> {
  readonly olderThan?: number;
  readonly newerThan?: number;
}

/** Gives a command the options by which messages are named. */
export function withFilters(target: Command): Command {
  return target
    .addOption(
      new Option('--phone <number>', 'only codes for this number, however it is written').conflicts([
        ...NOT_OF_CODES,
      ]),
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
export function filterOf(
  { olderThan, newerThan, ...naming }: FilterOptions,
  env: Host['env'],
): DeliveryFilter {
  const now = Date.now();
  return filterOfNaming(
    {
      ...naming,
      ...(olderThan !== undefined && { createdBefore: now - olderThan }),
      ...(newerThan !== undefined && { createdAfter: now - newerThan }),
    },
    naming.phone === undefined ? undefined : readSettings(env).config.DEFAULT_COUNTRY,
  );
}

function age(text: string): number {
  const milliseconds = readAge(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError('It is a number and s, m, h or d, such as 10m.');
  return milliseconds;
}
