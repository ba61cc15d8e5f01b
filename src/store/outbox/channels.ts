import { type RawBuilder, sql } from 'kysely';

/** Contents of a channel's messages, which decide what is masked, erased, limited and measured. */
interface ChannelContent {
  /**
   * Meaning of `recipient`. A phone number counts for the limits on codes, is masked once they no longer need
   * it, and is never shown in full. A device belongs to a student.
   */
  readonly recipient: 'telephone' | 'device' | 'class';
  /** Meaning of `payload`. A code is erased once sent or expired, and never sent after its lifetime. */
  readonly payload: 'code' | 'note';
  /** Result of delivery: a message accepted by a provider, or push messages. */
  readonly becomes: 'sent' | 'push messages';
}

/**
 * All channels. `mark` is a SendMarkNotes request that has yet to be resolved into one `push` message per
 * device.
 */
const CHANNELS = {
  sms: { recipient: 'telephone', payload: 'code', becomes: 'sent' },
  push: { recipient: 'device', payload: 'note', becomes: 'sent' },
  mark: { recipient: 'class', payload: 'note', becomes: 'push messages' },
} as const satisfies Readonly<Record<string, ChannelContent>>;

export type MessageChannel = keyof typeof CHANNELS;

// The keys of a non-empty table that never changes.
export const MESSAGE_CHANNELS = Object.keys(CHANNELS) as [MessageChannel, ...MessageChannel[]];

type ChannelsWith<Content extends Partial<ChannelContent>> = {
  [Channel in MessageChannel]: (typeof CHANNELS)[Channel] extends Content ? Channel : never;
}[MessageChannel];

/** Channels whose messages go to a provider. */
export type ProviderChannel = ChannelsWith<{ readonly becomes: 'sent' }>;

export const PROVIDER_CHANNELS = MESSAGE_CHANNELS.filter(hasProvider);
export const CODE_CHANNELS = MESSAGE_CHANNELS.filter(holdsCode);
const TELEPHONE_CHANNELS = MESSAGE_CHANNELS.filter(isForTelephone);
const DEVICE_CHANNELS = MESSAGE_CHANNELS.filter((channel) => findContent(channel).recipient === 'device');

export function hasProvider(channel: MessageChannel): channel is ProviderChannel {
  return findContent(channel).becomes === 'sent';
}

export function holdsCode(channel: MessageChannel): boolean {
  return findContent(channel).payload === 'code';
}

export function isForTelephone(channel: MessageChannel): boolean {
  return findContent(channel).recipient === 'telephone';
}

function findContent(channel: MessageChannel): ChannelContent {
  return CHANNELS[channel];
}

/** Conditions on a row of `messages`, worded as in the indexes. */
export const OF_CODES = isIn(CODE_CHANNELS);
export const OF_TELEPHONES = isIn(TELEPHONE_CHANNELS);
export const OF_DEVICES = isIn(DEVICE_CHANNELS);

function isIn(channels: readonly MessageChannel[]): RawBuilder<boolean> {
  const [first, ...others] = channels.map((channel) => sql.lit(channel));
  return others.length === 0
    ? sql`channel = ${first}`
    : sql`channel in (${sql.join(channels.map((channel) => sql.lit(channel)))})`;
}
