import { adviceOnReason, briefAnswer, type Hold, type HoldCause, type ProviderChannel } from '../../store';
import { MINUTE_MS } from '../../support/durations';
import type { Phrase } from '../../support/phrase';
import { PROGRAM_NAME } from '../../support/program-name';
import { duration } from '../reports/duration';
import type { Text } from '../texts/words';
import type { Match } from './match';
import type { AlertRule, CheckedRule } from './rule';
import type { Snapshot } from './snapshot';

/** Rules whose alerts say that messages of a channel wait, are late or expire. */
const SYMPTOMS = [
  ...['CodesWait', 'CodesSlow', 'CodesFail', 'SomeCodesFail', 'PushesWait', 'PushesFail'],
  ...['SendingStopped', 'DeadLettersGrow'],
];

/** A worker may be replaced within this time. */
const NO_WORKER_MS = MINUTE_MS;
/** A gateway that is busy for a moment is none of an operator's business. */
const BUSY_MS = MINUTE_MS;

/** Texts of a hold's alert, which name the gateway and its answer; `{age}` and `{ago}` are durations. */
export const HOLD_TEXTS: Readonly<Record<HoldCause, { readonly now: Text; readonly over: Text }>> = {
  account: {
    now: '{who} refuses the account ({answer})',
    over: '{who} refused the account ({answer}) for {age}',
  },
  failing: { now: '{who} is failing ({answer})', over: '{who} was failing ({answer}) for {age}' },
  pause: { now: '{who} asks for pauses ({answer})', over: '{who} asked for pauses ({answer}) for {age}' },
  rate: {
    now: '{who} accepts fewer messages than are waiting',
    over: '{who} accepted fewer messages than were waiting for {age}',
  },
  worker: { now: 'No worker is running', over: 'No worker was running for {age}' },
  database: {
    now: 'The database is not responding',
    over: 'The database was not responding for {age}',
  },
};

/** Descriptions of a hold's alert. */
export const HOLD_DESCRIPTIONS = {
  all: 'Nothing has been sent over {channel} for {age}; messages waiting: {n}.',
  some: 'It has been so for {age}. Its messages wait or go through another gateway; messages waiting: {n}.',
  busy: 'It has been so for {age}; messages waiting: {n}.',
  over: 'It ended {ago} ago. Codes that waited longer than they are valid have expired.',
} as const;

/** Rules about what holds messages; each explains the alerts about messages that wait or expire meanwhile. */
export const HOLD_RULES: readonly AlertRule[] = [
  {
    name: 'NoWorker',
    severity: 'critical',
    summary: 'No worker is running',
    description: 'Messages are accepted, but nothing is sent.',
    advice: 'Start a worker (ROLE=all or ROLE=worker). Its log has the reason why it ended.',
    link: ['/messages?state=queued&newer-than=any', 'Waiting messages'],
    explains: [...SYMPTOMS, 'NotesWaitForData'],
    find: ({ now, store }) =>
      (store?.holds.ofSome ?? [])
        .filter(({ cause, since }) => cause === 'worker' && now - since > NO_WORKER_MS)
        .slice(0, 1)
        .map(({ since }) => ({
          description: {
            text: 'Nothing has been sent for {age}; messages waiting: {n}.',
            values: { age: duration(now - since), n: waitingOn(store?.backlog ?? []) },
          },
        })),
  },
  {
    name: 'AccountRefused',
    severity: 'critical',
    expr: 'max by (job, channel) (delivery_provider_stopped) == 1',
    summary: 'The {channel} gateway refuses the account',
    description:
      'Nothing is sent over {channel}: the credentials are wrong, the credit is used up, or the account is blocked.',
    advice:
      `Correct GATEWAYS_FILE or FCM_SERVICE_ACCOUNT, or top up the credit. ${PROGRAM_NAME} gateways test NAME NUMBER shows the answer.` as const,
    link: ['/messages?state=queued&newer-than=any', 'Waiting messages'],
    explains: [...SYMPTOMS, 'ProviderRefuses'],
    find: (snapshot) => holdsOf(snapshot, ['account'], 0),
  },
  {
    name: 'ProviderLeftAlone',
    severity: 'critical',
    expr: 'max by (job, channel) (delivery_circuit_open - delivery_provider_stopped) == 1',
    forMinutes: 2,
    summary: 'The {channel} gateway is failing',
    description:
      'Sending over {channel} is paused because the gateway keeps failing. Messages wait and are sent once it works again.',
    advice:
      `Run ${PROGRAM_NAME} check to test the connection, and look at the status page of the gateway.` as const,
    link: ['/messages?state=queued&newer-than=any', 'Waiting messages'],
    explains: [...SYMPTOMS, 'ProviderRefuses'],
    find: (snapshot) => holdsOf(snapshot, ['failing'], 0),
  },
  {
    name: 'GatewayBusy',
    severity: 'warning',
    forMinutes: 2,
    summary: 'A gateway accepts fewer messages than are waiting',
    description: 'Its messages wait longer than usual. Codes expire after 5 minutes.',
    advice: 'Ask the provider for a higher limit, or add another gateway to the route.',
    link: ['/messages?state=queued&newer-than=any', 'Waiting messages'],
    explains: SYMPTOMS,
    find: (snapshot) => holdsOf(snapshot, ['pause', 'rate'], BUSY_MS),
  },
];

/** Holds that ended within this time are shown. */
const OVER_SHOWN_MS = 15 * MINUTE_MS;
/** Shorter ones are not. */
const OVER_LONG_MS = MINUTE_MS;

/** Explains what expired because of a hold that is over. */
export const HOLD_ENDED: CheckedRule = {
  name: 'HoldEnded',
  severity: 'info',
  isNotice: true,
  summary: 'Sending works again',
  description: 'Codes that waited longer than they are valid have expired.',
  advice: 'Tell the people concerned to request new codes.',
  link: ['/messages?state=expired&newer-than=1h', 'Expired messages'],
  explains: SYMPTOMS.filter((name) => name !== 'SendingStopped'),
  find: ({ now, store }) => {
    const over = (store?.holds.holds ?? []).filter(
      ({ since, until }) => until !== null && until > now - OVER_SHOWN_MS && until - since >= OVER_LONG_MS,
    );
    return over
      .toSorted((one, other) => (other.until ?? 0) - (one.until ?? 0))
      .map(({ channel, gateway, since, until, ...hold }) => ({
        until: until ?? now,
        labels: {
          ...(channel !== null && { channel }),
          ...(gateway !== null && { gateway }),
          since: String(since),
        },
        summary: holdText({ ...hold, gateway }, 'over', { age: duration((until ?? now) - since) }),
        description: {
          text: HOLD_DESCRIPTIONS.over,
          values: { ago: duration(Math.max(1000, now - (until ?? now))) },
        },
      }));
  },
};

/** Finds gateways whose messages wait for some causes, and have for a time in milliseconds. */
function holdsOf({ now, store }: Snapshot, causes: readonly HoldCause[], ms: number): readonly Match[] {
  const { holds, ofSome, routes } = store?.holds ?? { holds: [], ofSome: [], routes: [] };
  const isHeld = (name: string): boolean =>
    holds.some(({ gateway, until, cause }) => gateway === name && until === null && !BUSY.includes(cause));
  const isWholly = (wanted: ProviderChannel): boolean =>
    routes.every(({ channel, gateways }) => channel !== wanted || gateways.every(isHeld));
  return ofSome
    .filter(({ cause, since }) => causes.includes(cause) && now - since >= ms)
    .flatMap((hold) => {
      const { cause, channel, gateway, reason, since } = hold;
      if (channel === null || gateway === null) return [];
      const kind = BUSY.includes(cause) ? 'busy' : isWholly(channel) ? 'all' : 'some';
      const backlog = (store?.backlog ?? []).filter((each) => each.channel === channel);
      return [
        {
          labels: { channel, gateway },
          summary: holdText(hold, 'now'),
          description: {
            text: HOLD_DESCRIPTIONS[kind],
            values: {
              channel: { text: channel },
              age: duration(now - since),
              n: waitingOn(backlog),
            },
          },
          ...(reason !== null && { advice: adviceOnReason(reason) }),
        },
      ];
    });
}

const BUSY: readonly HoldCause[] = ['pause', 'rate'];

function holdText(
  { cause, gateway, reason }: Pick<Hold, 'cause' | 'gateway' | 'reason'>,
  when: 'now' | 'over',
  more: Phrase<Text>['values'] = {},
): Phrase<Text> {
  return {
    text: HOLD_TEXTS[cause][when],
    values: { who: gateway ?? '', answer: briefAnswer(reason), ...more },
  };
}

function waitingOn(backlog: readonly { readonly messages: number }[]): number {
  return backlog.reduce((sum, { messages }) => sum + messages, 0);
}
