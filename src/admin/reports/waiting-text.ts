import {
  briefAnswer,
  type DeliveryRecord,
  type Holds,
  holdSentence,
  type Reason,
  reasonSentence,
  waitingFor,
} from '../../store';
import { asPhrase, type Sentence } from '../../support/phrase';
import type { Text } from '../texts/words';
import type { TimeText } from './time-text';

/** The time at which messages are shown, in milliseconds since 1970 UTC, and what holds messages then. */
export interface Moment {
  readonly now: number;
  readonly holds: Holds;
}

/**
 * Returns what a queued message waits for, to follow "waiting"; undefined for a message that is not queued.
 */
export function waitingSentence(
  message: DeliveryRecord,
  { now, holds }: Moment,
  time: TimeText,
): Sentence<Text> | undefined {
  if (message.state !== 'queued') return undefined;
  const waiting = waitingFor(message, holds, now);
  if (waiting.kind === 'hold') return holdSentence(waiting.hold, (at) => time.minuteOf(at, now));
  if (waiting.kind === 'due') return 'due now; the next free worker will send it';
  const until = time.near(waiting.until, now);
  const { reason } = message;
  if (waiting.kind === 'quiet hours') return { text: 'quiet hours until {time}', values: { time: until } };
  if (waiting.kind === 'data')
    return {
      text: 'school data that is not imported yet ({why})',
      values: { why: reason === null ? '' : asPhrase(reasonSentence(reason)) },
    };
  return reason === null
    ? { text: 'next attempt at {time}', values: { time: until } }
    : { text: 'next attempt at {time} ({why})', values: { time: until, why: briefAnswer(reason) } };
}

/**
 * Says in a sentence why a message is where it is: what it waits for, or why it was not sent; undefined if it
 * was.
 */
export function explanationFor(
  message: DeliveryRecord,
  moment: Moment,
  time: TimeText,
): Sentence<Text> | undefined {
  const waiting = waitingSentence(message, moment, time);
  if (waiting !== undefined)
    return {
      text: 'Waiting: {why}. Expires {time}.',
      values: { why: asPhrase(waiting), time: time.near(message.expiresAt, moment.now) },
    };
  const { reason } = message;
  return reason === null ? undefined : reasonWithTimes(reason, moment, time);
}

/** Describes a reason, with the time of the hold that it names. */
export function reasonWithTimes(reason: Reason, { holds, now }: Moment, time: TimeText): Sentence<Text> {
  const sentence = reasonSentence(reason);
  const held = reason.code === 'expired' ? reason.held : undefined;
  const { since } = held ?? {};
  if (held === undefined || since === undefined) return sentence;
  const hold = holds.holds.find(
    (each) => each.since === since && each.cause === held.cause && each.gateway === (held.gateway ?? null),
  );
  const values = { reason: asPhrase(sentence), since: time.minuteOf(since, now) };
  if (hold === undefined) return { text: '{reason} (from {since} on).', values };
  return hold.until === null
    ? { text: '{reason}, since {since}.', values }
    : { text: '{reason}, {since} to {until}.', values: { ...values, until: time.minuteOf(hold.until, now) } };
}
