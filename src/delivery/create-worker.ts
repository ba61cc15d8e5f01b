import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import type { Config, Reloadable } from '../config';
import { type MessageChannel, nodeName, reasonText, type Store } from '../store';
import { Calendar } from '../support/calendar';
import type { TraceAttempt } from '../telemetry';
import { waysToProviders } from './ask-providers';
import { type Clock, SYSTEM_TIMERS, type Timers } from './clock';
import { type Outcome, type Random, reasonFor } from './outcome';
import { OldMessages } from './policy/old-messages';
import type { ReceiptTaker } from './receipts';
import { NodeShare } from './senders/node-share';
import { Provider } from './senders/provider';
import { pushSender } from './senders/push-sender';
import { markRequestResolver } from './senders/resolve-mark-requests';
import { SmsRoutes } from './senders/sms-routes';
import { smsSender } from './senders/sms-sender';
import type { PushMessage, SmsMessage, Transport } from './transports/transport';
import { pushConcurrency, pushTransport, smsTransports, type Transports } from './transports/transports';
import { WordingInUse } from './wording';
import { Worker } from './worker';
import { ChannelWorker } from './workers/channel-worker';
import { DeliveryLog, DeliveryMetrics } from './workers/delivery-log';
import { HoldLog } from './workers/hold-log';
import { RequestEnds } from './workers/request-ends';
import { RETRY_RULES } from './workers/retry';

const POLL_MS = 500;
/** Maximum number of SendMarkNotes requests resolved at once: each keeps SQLite's other writes waiting. */
const MARK_CONCURRENCY = 1;
/** Lease of a message, in time limits of a provider: no attempt outlives it. */
const LEASES = 3;
/** Maximum number of notes that wait for data not imported yet; further ones fail at once. */
const MAX_WAITING_NOTES = { ofSchool: 500, ofUnknownSchools: 5000 };
const CIRCUIT = {
  attempts: 10,
  failedPart: 0.5,
  withinMs: 10_000,
  probeAfterMs: 15_000,
  stoppedProbeAfterMs: 60_000,
};

export interface WorkerDependencies {
  readonly store: Store;
  readonly config: Config;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Traces the attempts; default: none. */
  readonly traceAttempt?: TraceAttempt | undefined;
  /** Transports of messages; default: from the settings. */
  readonly transports?: Transports;
  readonly now?: Clock;
  readonly timers?: Timers;
  readonly random?: Random;
}

/** Holds what the parts of a worker share. */
type Parts = ReturnType<typeof openParts>;

/**
 * Creates the worker that delivers the messages of all channels.
 *
 * @param receipts - takes the receipts of the SMS that it sends, if a feature does
 * @throws SettingError
 */
export function createWorker(
  dependencies: WorkerDependencies,
  receipts: ReceiptTaker | undefined,
): { readonly worker: Worker; readonly reloadables: readonly Reloadable[] } {
  const parts = openParts(dependencies);
  const { store, config, log, now, timers, sms, push } = parts;
  const share = new NodeShare(store, nodeName(config.PORT), timers.elapsed.bind(timers));
  const sent = receipts?.follow(sms, (error) => log.storeFailed('receipts', error));
  const worker = new Worker({
    ...parts,
    channels: openChannels(parts),
    oldMessages: new OldMessages(
      store,
      { days: config.KEEP_MESSAGES_DAYS, calendar: new Calendar(config.TIME_ZONE) },
      (messages) => log.oldRemoved(messages),
    ),
    isSettling: () => sms.isRated && share.isSettling,
    onInterval: async (time) => {
      sms.shareAmong(await share.look(time));
      await sent?.look(time);
    },
    providers: [...(sent === undefined ? [] : [sent]), sms, push],
    pollMs: POLL_MS,
    now,
  });
  const ways = dependencies.transports === undefined ? waysToProviders(config, sms, push) : [];
  return { worker, reloadables: [parts.wording, ...ways] };
}

/** @throws SettingError */
function openParts(dependencies: WorkerDependencies) {
  const { store, config, logger, registry, traceAttempt } = dependencies;
  const { now = Date.now, timers = SYSTEM_TIMERS, random = Math.random } = dependencies;
  const wording = new WordingInUse(config);
  const log = new DeliveryLog(logger, new DeliveryMetrics(registry, () => store.outbox.backlog(), now));
  const timeoutMs = config.PROVIDER_TIMEOUT_SECONDS * 1000;
  const provider = <Message extends SmsMessage | PushMessage>(
    channel: MessageChannel,
    transport: Transport<Message>,
  ) =>
    new Provider(
      transport,
      { timeoutMs, circuit: CIRCUIT },
      { now, timers },
      (cause) => {
        log.circuit(channel, transport.name, cause);
        holdLog.changed();
      },
      traceAttempt && traced(traceAttempt, channel, transport),
    );
  const transports = dependencies.transports ?? { sms: smsTransports(config), push: pushTransport(config) };
  const sms = new SmsRoutes(transports.sms, (transport) => provider('sms', transport));
  const push = provider('push', transports.push);
  log.transports({ sms: config.SMS_CHANNEL, push: config.PUSH_CHANNEL });
  const holdLog = new HoldLog({ store, node: nodeName(config.PORT), sms, push, now });
  const requestEnds = new RequestEnds(store, { now, timers }, log);
  const owner = `${hostname()} ${String(process.pid)} ${randomBytes(4).toString('hex')}`;
  const repeatMs = config.REPEAT_WINDOW * 1000;
  return {
    ...{ store, config, log, wording, now, timers, random, timeoutMs },
    ...{ sms, push, holdLog, requestEnds, owner, repeatMs },
  };
}

/** Returns what begins and ends the trace of each attempt of a transport. */
function traced<Message extends SmsMessage | PushMessage>(
  trace: TraceAttempt,
  channel: MessageChannel,
  transport: Transport<Message>,
) {
  return (message: Message) => {
    const attempt = trace({ channel, transport: transport.name, messageId: message.id }, message.trace);
    return {
      message: { ...message, trace: attempt.trace },
      end: (outcome: Outcome | undefined) => {
        const reason = outcome && reasonFor(outcome);
        attempt.end(outcome && { ...outcome, reason: reason ? reasonText(reason) : undefined });
      },
    };
  };
}

function openChannels(parts: Parts): Readonly<Record<MessageChannel, ChannelWorker>> {
  const { store, config, wording, now, timeoutMs, sms, push, holdLog, requestEnds, repeatMs } = parts;
  const { notBefore } = wording;
  const shared = {
    ...parts,
    outbox: store.outbox,
    leaseMs: LEASES * timeoutMs,
    attemptMs: timeoutMs,
    heldBy: holdLog.heldBy.bind(holdLog),
    holdsKnown: holdLog.looked,
    onSettled: requestEnds.settled.bind(requestEnds),
  };
  const channels = {
    sms: new ChannelWorker({
      ...shared,
      channel: 'sms',
      rules: RETRY_RULES.sms,
      deliver: smsSender(sms, wording, now),
      pace: sms,
      concurrency: config.SMS_CONCURRENCY,
    }),
    push: new ChannelWorker({
      ...shared,
      channel: 'push',
      rules: RETRY_RULES.push,
      deliver: pushSender({ provider: push, store, wording, notBefore, now }),
      pace: push,
      concurrency: pushConcurrency(config),
    }),
    mark: new ChannelWorker({
      ...shared,
      channel: 'mark',
      rules: RETRY_RULES.mark,
      deliver: markRequestResolver({
        store,
        repeatMs,
        maxWaiting: MAX_WAITING_NOTES,
        notBefore,
        now,
        wakePushes: () => channels.push.wake(),
      }),
      concurrency: MARK_CONCURRENCY,
    }),
  };
  return channels;
}
