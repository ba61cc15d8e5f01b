import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { SettingError } from '../config';
import type { MessageChannel } from '../store';
import type { Channel } from './transports/transport';
import { createPushChannel, createSmsChannel } from './transports/create-transports';
import type { DeliveryDependencies } from './create-delivery';
import { DeliveryLog } from './lanes/delivery-log';
import { DeliveryMetrics } from './lanes/delivery-metrics';
import { Lane, type LaneOptions } from './lanes/lane';
import { LANE_RULES } from './lanes/lane-rules';
import { Provider } from './senders/provider';
import { QuietHoursCalendar } from './policy/quiet-hours';
import { markResolver } from './senders/mark-requests';
import { pushSender } from './senders/send-push';
import { smsSender } from './senders/send-sms';
import { type DeliveryFile, readDeliveryFile } from './wording/delivery-file';
import { Wording } from './wording/wording';
import { Worker } from './worker';

const POLL_MS = 500;
/** Requests of SendMarkNotes that are resolved at once: each keeps the other writes of SQLite waiting. */
const MARK_CONCURRENCY = 1;
const BREAKER = { failures: 5, withinMs: 10_000, probeAfterMs: 30_000 };

/**
 * Builds what delivers messages, by the settings.
 *
 * @throws SettingError
 */
export function createWorker(dependencies: DeliveryDependencies): Worker {
  const { store, config, logger, registry, now = Date.now, random = Math.random } = dependencies;
  if (config.PROVIDER_TIMEOUT_SECONDS >= config.LEASE_SECONDS) {
    throw new SettingError(
      'PROVIDER_TIMEOUT_SECONDS must be less than LEASE_SECONDS, or two workers would send the same message.',
    );
  }
  const file = readDeliveryFile(config.DELIVERY_FILE);
  const { SMS_TEXT: smsText, PUSH_TITLE: pushTitle, PUSH_BODY: pushBody } = config;
  const wording = new Wording({ smsText, pushTitle, pushBody }, file);
  const notBefore = quietHoursOf(dependencies, file);

  const log = new DeliveryLog(logger, new DeliveryMetrics(registry, () => store.outbox.backlog(), now));
  const timeoutMs = config.PROVIDER_TIMEOUT_SECONDS * 1000;
  const provider = <Message>(kind: MessageChannel, channel: Channel<Message>, concurrency: number) =>
    new Provider(channel, { concurrency, timeoutMs, breaker: BREAKER }, now, (open) => {
      log.circuit(kind, channel.name, open);
    });
  const sms = provider('sms', createSmsChannel(config), config.SMS_CONCURRENCY);
  const push = provider('push', createPushChannel(config), config.PUSH_CONCURRENCY);
  log.channels({ sms: sms.name, push: push.name });
  for (const long of wording.longSms()) log.longSms(long);

  const owner = `${hostname()} ${String(process.pid)} ${randomBytes(4).toString('hex')}`;
  const leaseMs = config.LEASE_SECONDS * 1000;
  const lane = (channel: MessageChannel, { rules = LANE_RULES[channel], ...options }: LaneChoices): Lane => {
    const { outbox } = store;
    return new Lane({
      channel,
      owner,
      outbox,
      rules,
      leaseMs,
      attemptMs: timeoutMs,
      now,
      random,
      log,
      ...options,
    });
  };
  const repeatMs = config.REPEAT_WINDOW * 1000;
  const lanes = {
    sms: lane('sms', {
      deliver: smsSender(sms, wording, now),
      places: () => sms.places(),
      concurrency: config.SMS_CONCURRENCY,
      rules: { ...LANE_RULES.sms, repeatable: config.SMS_HTTP_IDEMPOTENT },
    }),
    push: lane('push', {
      deliver: pushSender({ provider: push, store, wording, notBefore, now }),
      places: () => push.places(),
      concurrency: config.PUSH_CONCURRENCY,
    }),
    mark: lane('mark', {
      deliver: markResolver({
        store,
        repeatMs,
        notBefore,
        now,
        wakePushes: () => {
          lanes.push.wake();
        },
      }),
      places: () => MARK_CONCURRENCY,
      concurrency: MARK_CONCURRENCY,
    }),
  };
  return new Worker({ owner, store, lanes, providers: [sms, push], repeatMs, pollMs: POLL_MS, now, log });
}

type LaneChoices = Pick<LaneOptions, 'deliver' | 'places' | 'concurrency'> &
  Partial<Pick<LaneOptions, 'rules'>>;

/** When a school's messages may be sent: now, or when its quiet hours end. */
function quietHoursOf(
  { config }: DeliveryDependencies,
  { schools }: DeliveryFile,
): (school: string, now: number) => number {
  const calendar = new QuietHoursCalendar();
  return (school, now) => {
    const { timeZone = config.TIME_ZONE, quietHours = config.QUIET_HOURS } = schools[school] ?? {};
    return quietHours === 'off' ? now : calendar.notBefore({ ...quietHours, timeZone }, now);
  };
}
