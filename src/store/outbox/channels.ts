import { type RawBuilder, sql } from 'kysely';

/** What the messages of a channel hold. What is masked, erased, limited and measured follows from it. */
interface ChannelContent {
  /**
   * What `recipient` names. A telephone number counts for the limits on codes, is masked when those need it no longer,
   * and is never shown whole. A device belongs to a student.
   */
  readonly recipient: 'telephone' | 'device' | 'class';
  /** What `payload` holds. A code is erased when it is sent or expired, and is not sent after its lifetime. */
  readonly payload: 'code' | 'note';
  /** Whether a provider takes it, or push messages are made of it. */
  readonly becomes: 'sent' | 'push messages';
}

/** Every channel. `mark` is a SendMarkNotes request that is still to be resolved into one `push` message per device. */
const CHANNELS = {
  sms: { recipient: 'telephone', payload: 'code', becomes: 'sent' },
  push: { recipient: 'device', payload: 'note', becomes: 'sent' },
  mark: { recipient: 'class', payload: 'note', becomes: 'push messages' },
} as const satisfies Readonly<Record<string, ChannelContent>>;

export type MessageChannel = keyof typeof CHANNELS;

// The keys of a table that has some, and gets no others while the program runs.
export const MESSAGE_CHANNELS = Object.keys(CHANNELS) as [MessageChannel, ...MessageChannel[]];

type ChannelsWith<Content extends Partial<ChannelContent>> = {
  [Channel in MessageChannel]: (typeof CHANNELS)[Channel] extends Content ? Channel : never;
}[MessageChannel];

/** Those whose messages a provider takes. */
export type ProviderChannel = ChannelsWith<{ readonly becomes: 'sent' }>;

export const PROVIDER_CHANNELS = MESSAGE_CHANNELS.filter(hasProvider);
export const CODE_CHANNELS = MESSAGE_CHANNELS.filter(holdsCode);
const TELEPHONE_CHANNELS = MESSAGE_CHANNELS.filter(isForTelephone);
const DEVICE_CHANNELS = MESSAGE_CHANNELS.filter((channel) => contentOf(channel).recipient === 'device');

export function hasProvider(channel: MessageChannel): channel is ProviderChannel {
  return contentOf(channel).becomes === 'sent';
}

export function holdsCode(channel: MessageChannel): boolean {
  return contentOf(channel).payload === 'code';
}

export function isForTelephone(channel: MessageChannel): boolean {
  return contentOf(channel).recipient === 'telephone';
}

function contentOf(channel: MessageChannel): ChannelContent {
  return CHANNELS[channel];
}

/** Conditions on a row of `messages`, in the words of the indexes. */
export const OF_CODES = isIn(CODE_CHANNELS);
export const OF_TELEPHONES = isIn(TELEPHONE_CHANNELS);
export const OF_DEVICES = isIn(DEVICE_CHANNELS);

function isIn(channels: readonly MessageChannel[]): RawBuilder<boolean> {
  const [first, ...others] = channels.map((channel) => sql.lit(channel));
  return others.length === 0
    ? sql`channel = ${first}`
    : sql`channel in (${sql.join(channels.map((channel) => sql.lit(channel)))})`;
}
