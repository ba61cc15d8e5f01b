import type { Phrase } from '../../support/phrase';
import { PROGRAM_NAME } from '../../support/program-name';
import { type CodeResults, type MessageChannel, MESSAGE_CHANNELS, PROVIDER_CHANNELS } from '../../store';
import { duration } from '../reports/duration';
import type { Text } from '../texts/words';
import { HOLD_RULES } from './hold-rules';
import { type Match, shareText } from './match';
import type { AlertRule } from './rule';
import { endedMessages, recent, type Snapshot } from './snapshot';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../support/durations';

/** Quiet hours are shorter. */
const LONGEST_WAIT_MS = 14 * HOUR_MS;
const STOPPED_MINUTES = 10;
const SLOW_CODE_MS = 5 * SECOND_MS;

/** Rules about messages on their way to people. */
export const DELIVERY_RULES: readonly AlertRule[] = [
  {
    name: 'CodesWait',
    channel: 'sms',
    severity: 'critical',
    expr: 'max by (job) (delivery_oldest_queued_seconds{channel="sms"}) > 60',
    forMinutes: 1,
    summary: 'Codes are not being sent',
    description: 'The oldest code has been waiting for {value}. A code expires after 5 minutes.',
    format: 'humanizeDuration',
    advice: 'Open one of the waiting codes: it shows what it waits for.',
    link: ['/messages?channel=sms&state=queued&newer-than=any', 'Waiting codes'],
    find: (snapshot) => waitingFor(snapshot, 'sms', 60 * SECOND_MS),
  },
  {
    name: 'CodesSlow',
    channel: 'sms',
    severity: 'warning',
    expr: 'histogram_quantile(0.99, sum by (job, le) (rate(delivery_seconds_bucket{channel="sms"}[10m]))) > 5',
    forMinutes: 10,
    summary: 'Codes are sent late',
    description: '1% of the codes are sent later than {value} after the request.',
    format: 'humanizeDuration',
    advice: 'Raise SMS_CONCURRENCY if the gateway allows it.',
    find: ({ now, store }) => {
      const sent = recent(store?.minutes ?? [], now, 10)
        .flatMap((point) => point.sent)
        .filter(({ channel }) => channel === 'sms');
      const all = sent.reduce((sum, { messages }) => sum + messages, 0);
      const mean = sent.reduce((sum, { messages, p99Ms }) => sum + messages * p99Ms, 0) / Math.max(1, all);
      return all > 2 && mean > SLOW_CODE_MS ? [{ value: duration(mean) }] : [];
    },
  },
  {
    name: 'CodesFail',
    severity: 'critical',
    expr: `sum by (job) (increase(delivery_messages_total{channel="sms",state=~"failed|expired"}[10m])) > 2
          and sum by (job) (increase(delivery_messages_total{channel="sms",state=~"failed|expired"}[10m]))
            / sum by (job) (increase(delivery_messages_total{channel="sms"}[10m])) > 0.2`,
    channel: 'sms',
    summary: 'Codes are not delivered',
    description: '{value} codes failed or expired in the last 10 minutes.',
    advice: 'Open the failed codes: each shows its reason and what to do.',
    link: ['/messages?channel=sms&state=failed_or_expired&newer-than=1h', 'Failed codes of the last hour'],
    find: ({ store }) => failedCodes(store?.codes, (share) => share > MANY),
  },
  {
    name: 'SomeCodesFail',
    severity: 'warning',
    expr: `sum by (job) (increase(delivery_messages_total{channel="sms",state=~"failed|expired"}[10m])) > 2
          unless sum by (job) (increase(delivery_messages_total{channel="sms",state=~"failed|expired"}[10m]))
            / sum by (job) (increase(delivery_messages_total{channel="sms"}[10m])) > 0.2`,
    channel: 'sms',
    summary: 'Some codes are not delivered',
    description: '{value} codes failed or expired in the last 10 minutes.',
    advice: 'Open the failed codes: each shows its reason and what to do.',
    link: ['/messages?channel=sms&state=failed_or_expired&newer-than=1h', 'Failed codes of the last hour'],
    find: ({ store }) => failedCodes(store?.codes, (share) => share <= MANY),
  },
  {
    name: 'PushesFail',
    channel: 'push',
    severity: 'warning',
    expr: `sum by (job) (increase(delivery_messages_total{channel="push",state=~"failed|expired"}[1h]))
            / sum by (job) (increase(delivery_messages_total{channel="push"}[1h])) > 0.2
          and sum by (job) (increase(delivery_messages_total{channel="push"}[1h])) > 20`,
    forMinutes: 15,
    summary: 'Many push messages fail',
    description: '{value} of the push messages of the last hour failed or expired.',
    format: 'humanizePercentage',
    advice: 'Open the failed messages: each shows its reason and what to do.',
    link: ['/messages?channel=push&state=failed_or_expired&newer-than=1h', 'Failed push messages'],
    find: (snapshot) => {
      const { all, failed } = endedMessages(snapshot, 'push', 60);
      return all > 20 && failed > all * 0.2 ? [{ value: shareText(failed, all) }] : [];
    },
  },
  {
    name: 'DeadLettersGrow',
    severity: 'warning',
    expr: 'sum by (job, channel) (increase(delivery_messages_total{state="failed"}[1d])) > 100',
    forMinutes: 15,
    summary: 'Failed messages pile up ({channel})',
    description:
      '{value} messages failed within 24 hours. They are kept for KEEP_MESSAGES_DAYS, or until you retry them.',
    advice: `Fix the cause, then retry them with ${PROGRAM_NAME} deliveries retry.` as const,
    link: ['/messages?state=failed&newer-than=1d', 'Failed messages'],
    find: ({ store }) =>
      MESSAGE_CHANNELS.map((channel) => ({
        channel,
        failed: (store?.hours ?? [])
          .flatMap(({ settled }) => settled)
          .filter((each) => each.channel === channel && each.state === 'failed')
          .reduce((sum, { messages }) => sum + messages, 0),
      }))
        .filter(({ failed }) => failed > 100)
        .map(({ channel, failed }) => ({ labels: { channel }, value: failed })),
  },
  {
    name: 'NotesWaitForData',
    channel: 'mark',
    severity: 'warning',
    expr: 'max by (job) (delivery_oldest_queued_seconds{channel="mark"}) > 3600',
    forMinutes: 10,
    summary: 'Mark notes are waiting for school data',
    description: 'The oldest SendMarkNotes request has been waiting for {value}. It fails after 24 hours.',
    format: 'humanizeDuration',
    advice: 'Import the school, class or note type that the request names.',
    link: ['/messages?channel=mark&state=queued&newer-than=any', 'Waiting requests'],
    find: (snapshot) => waitingFor(snapshot, 'mark', HOUR_MS),
  },
  {
    name: 'PushesWait',
    channel: 'push',
    severity: 'warning',
    expr: 'max by (job) (delivery_oldest_queued_seconds{channel="push"}) > 50400',
    forMinutes: 10,
    summary: 'Push messages are not being sent',
    description:
      'The oldest push message has been waiting for {value}, longer than quiet hours. It expires after 24 hours.',
    format: 'humanizeDuration',
    advice: 'Open one of them: it shows what it waits for.',
    link: ['/messages?channel=push&state=queued&newer-than=any', 'Waiting push messages'],
    find: (snapshot) => waitingFor(snapshot, 'push', LONGEST_WAIT_MS),
  },
  {
    name: 'SendingStopped',
    severity: 'critical',
    expr: `max by (job, channel) (delivery_oldest_due_seconds) > 600
          and sum by (job, channel) (increase(delivery_messages_total{state=~"sent|written"}[10m])) == 0`,
    summary: 'Nothing is being sent ({channel})',
    description: 'A message has been due for {value}, and none was sent in the last 10 minutes.',
    format: 'humanizeDuration',
    advice: 'The log of the worker has the error.',
    link: ['/messages?state=queued&newer-than=any', 'Waiting messages'],
    find: (snapshot) =>
      (snapshot.store?.backlog ?? [])
        .map(({ channel, oldestDueAt }) => ({ channel, dueMs: snapshot.now - oldestDueAt }))
        .filter(
          ({ channel, dueMs }) =>
            dueMs > STOPPED_MINUTES * MINUTE_MS &&
            endedMessages(snapshot, channel, STOPPED_MINUTES).sent === 0,
        )
        .map(({ channel, dueMs }) => ({ labels: { channel }, value: duration(dueMs) })),
  },
  ...HOLD_RULES,
  {
    name: 'ProviderRefuses',
    severity: 'critical',
    expr: `sum by (job, channel) (increase(delivery_attempts_total{outcome="refused"}[15m]))
            / sum by (job, channel) (increase(delivery_attempts_total[15m])) > 0.5
          and sum by (job, channel) (increase(delivery_attempts_total{outcome="refused"}[15m])) > 4`,
    forMinutes: 5,
    summary: 'The {channel} gateway rejects messages',
    description: '{value} of the attempts were rejected. Each message shows the code of the gateway.',
    format: 'humanizePercentage',
    advice: `Run ${PROGRAM_NAME} gateways test NAME NUMBER to see the gateway's answer.` as const,
    link: ['/messages?state=failed_or_expired&newer-than=1h', 'Failed messages'],
    find: ({ now, store }) => {
      const attempts = recent(store?.minutes ?? [], now, 15).flatMap((point) => point.attempts);
      return PROVIDER_CHANNELS.map((channel) => {
        const ofChannel = attempts.filter((each) => each.channel === channel);
        const count = (counted: typeof ofChannel): number =>
          counted.reduce((sum, each) => sum + each.attempts, 0);
        const refused = count(ofChannel.filter(({ outcome }) => outcome === 'refused'));
        return { channel, refused, all: count(ofChannel) };
      })
        .filter(({ refused, all }) => refused > 4 && refused > all * 0.5)
        .map(({ channel, refused, all }) => ({ labels: { channel }, value: shareText(refused, all) }));
    },
  },
  {
    name: 'WrongFirebaseProject',
    channel: 'push',
    severity: 'critical',
    expr: `sum by (job) (increase(delivery_attempts_total{channel="push",outcome="foreign-token"}[1h])) > 4
          unless sum by (job) (increase(delivery_attempts_total{channel="push",outcome="sent"}[1h])) > 0`,
    summary: 'No device belongs to the Firebase project',
    description: 'FCM refused {value} push messages of the last hour for this reason, and accepted none.',
    advice:
      'Set FCM_SERVICE_ACCOUNT to the key of the project that the app uses, or import the tokens of this project.',
    link: ['/messages?channel=push&state=failed&newer-than=1h', 'Failed push messages'],
    find: ({ store }) => {
      const attempts = (store?.minutes ?? [])
        .flatMap((point) => point.attempts)
        .filter(({ channel }) => channel === 'push');
      const count = (kind: string): number =>
        attempts.filter(({ outcome }) => outcome === kind).reduce((sum, each) => sum + each.attempts, 0);
      const foreign = count('foreign-token');
      return foreign > 4 && count('sent') === 0 ? [{ value: foreign }] : [];
    },
  },
  {
    name: 'FileChannel',
    severity: 'critical',
    expr: `max by (job, channel) (delivery_transport_info{transport="file"})
            * on (job) group_left max by (job) (service_alerts{alert="FileChannel"}) == 1`,
    summary: 'Messages are not sent ({channel})',
    description:
      'Messages of the channel {channel} are only written to a file in DATA_DIR. They are not delivered.',
    advice: 'Configure an SMS gateway (docs/sms-gateways.md) or Firebase (docs/push.md).',
    link: ['/settings', 'Settings'],
    find: ({ store, fileChannels }) =>
      store?.loadedSchools === 'sample' ? [] : fileChannels.map((channel) => ({ labels: { channel } })),
  },
  {
    name: 'SampleInstallation',
    severity: 'info',
    summary: 'Trial mode: messages are not sent',
    description:
      'The database holds the sample school, and SMS or push messages are only written to a file in DATA_DIR.',
    advice: 'To go live, import the data of your school and configure a gateway (docs/sms-gateways.md).',
    link: ['/settings', 'Settings'],
    find: ({ store, fileChannels }) =>
      store?.loadedSchools !== 'sample' || fileChannels.length === 0
        ? []
        : [
            {
              summary: { text: trialText(fileChannels) },
              description: {
                text: 'The database holds the sample school. These messages are only written to a file in DATA_DIR.',
              },
            },
          ],
  },
];

/** Summaries of trial mode, by the channels whose messages are not sent. */
export const TRIAL = {
  sms: 'Trial mode: SMS are not sent',
  push: 'Trial mode: push messages are not sent',
  'sms,push': 'Trial mode: SMS and push messages are not sent',
} as const satisfies Readonly<Record<string, string>>;

function trialText(channels: readonly string[]): Text {
  return channels.length > 1 ? TRIAL['sms,push'] : channels[0] === 'sms' ? TRIAL.sms : TRIAL.push;
}

/** Share of the numbers above which failed codes are critical. */
const MANY = 0.2;
/** Codes for this many numbers fail on any day. */
const FEW_NUMBERS = 2;

/**
 * Finds codes that failed by themselves. Where only those failed that something held, which has an alert of
 * its own, these are its symptom.
 */
function failedCodes(codes: CodeResults | undefined, isMeant: (share: number) => boolean): readonly Match[] {
  if (codes === undefined) return [];
  const { failed, failedNumbers, held, heldNumbers, ended, numbers } = codes;
  if (failedNumbers > FEW_NUMBERS) {
    if (!isMeant(failedNumbers / numbers)) return [];
    const values = { codes: shareText(failed, ended), numbers: outOf(failedNumbers, numbers), n: held };
    const text = held === 0 ? FAILED_CODES.all : FAILED_CODES.others;
    return [{ canBeSymptom: false, description: { text, values } }];
  }
  if (heldNumbers <= FEW_NUMBERS || !isMeant(heldNumbers / (heldNumbers + numbers))) return [];
  return [{ description: { text: FAILED_CODES.held, values: { n: held, m: heldNumbers } } }];
}

/** Descriptions of the alerts about failed codes. */
export const FAILED_CODES = {
  all: '{codes} codes to {numbers} numbers failed or expired in the last 10 minutes.',
  others:
    '{codes} codes to {numbers} numbers failed or expired in the last 10 minutes, not counting the {n} that expired while they were held.',
  held: '{n} codes to {m} numbers expired in the last 10 minutes while they were held.',
} as const;

function outOf(part: number, all: number): Phrase<Text> {
  return { text: '{n} of {m}', values: { n: part, m: all } };
}

function waitingFor({ now, store }: Snapshot, wanted: MessageChannel, ms: number): readonly Match[] {
  return (store?.backlog ?? [])
    .filter(({ channel, oldestCreatedAt }) => channel === wanted && now - oldestCreatedAt > ms)
    .map(({ oldestCreatedAt }) => ({
      since: oldestCreatedAt,
      value: duration(now - oldestCreatedAt),
    }));
}
