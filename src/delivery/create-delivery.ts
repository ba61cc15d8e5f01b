import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import type { Config, Reloadable } from '../config';
import { type MessageChannel, nodeName, reasonText, type Store } from '../store';
import { homeCountries } from './delivery-findings';
import { DeliveryLog, DeliveryMetrics, logUnread } from './workers/delivery-log';
import { HoldLog } from './workers/hold-log';
import { ChannelWorker, type ChannelWorkerOptions } from './workers/channel-worker';
import { RETRY_RULES } from './workers/retry';
import { RequestEnds } from './workers/request-ends';
import { type Outcome, type Random, reasonFor } from './outcome';
import type { TraceAttempt } from '../telemetry';
import { type AcceptCode, codeAcceptance, RefusedCodes } from './policy/accept-code';
import { countBlockedAreas, GuardReport, PumpingGuard } from './policy/pumping-guard';
import { OldMessages } from './policy/old-messages';
import { markRequestResolver } from './senders/resolve-mark-requests';
import { NodeShare } from './senders/pace';
import { Provider } from './senders/provider';
import { SmsRoutes } from './senders/sms-routes';
import { pushSender, smsSender } from './senders/send-push';
import { type Clock, SYSTEM_TIMERS, type Timers } from './clock';
import { pushTransport, smsTransports, type Transports } from './transports/transports';
import type { PushMessage, SmsMessage, Transport } from './transports/provider-client';
import { waysToProviders } from './ask-providers';
import { ReceiptCounter, ReceiptInbox, ReceiptPoll } from './receipt-inbox';
import { WordingInUse } from './wording';
import { Worker } from './worker';
import { Calendar } from '../support/calendar';

const POLL_MS = 500;
/** Maximum number of SendMarkNotes requests resolved at once: each keeps SQLite's other writes waiting. */
const MARK_CONCURRENCY = 1;
/** Lease of a message, in time limits of a provider: no attempt outlives it. */
const LEASES = 3;
/** Unknown schools whose notes may wait, each with as many as a known one. */
const SCHOOLS_UNKNOWN = 10;
const CIRCUIT = {
  attempts: 10,
  failedPart: 0.5,
  withinMs: 10_000,
  probeAfterMs: 15_000,
  stoppedProbeAfterMs: 60_000,
};

interface DeliveryDependencies {
  readonly store: Store;
  readonly config: Config;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Announces new messages to the process that delivers; default: through the store. */
  readonly announce?: ((channel: MessageChannel) => void) | undefined;
  /** Names of the known callers; default: none. */
  readonly knownCallers?: (() => readonly string[]) | undefined;
  /** Traces the attempts; default: none. */
  readonly traceAttempt?: TraceAttempt | undefined;
  /** Transports of messages; default: from the settings. */
  readonly transports?: Transports;
  readonly now?: Clock;
  readonly timers?: Timers;
  readonly random?: Random;
}

export interface Delivery {
  /** Stores codes, subject to the send policy. */
  readonly acceptCode: AcceptCode;
  /** Parts that can be reloaded while it runs. */
  readonly reloadables: readonly Reloadable[];
  /** Takes the receipts of SMS gateways. */
  readonly receipts: ReceiptInbox;
  wake(channel: MessageChannel): void;
  /** Starts delivering, if this process should. */
  start(): void;
  /** Finishes attempts in progress and releases the rest, within a time in milliseconds. */
  stop(withinMs: number): Promise<void>;
}

/** @throws SettingError for incompatible settings, or an unusable file */
export function createDelivery(dependencies: DeliveryDependencies): Delivery {
  const { store, config } = dependencies;
  const { announce = store.announce.bind(store) } = dependencies;
  const counter = new ReceiptCounter(dependencies.registry);
  // A web process has no log of deliveries.
  const log = { receiptsUnread: logUnread.bind(undefined, dependencies.logger) };
  const receipts = new ReceiptInbox(config, store.receipts, counter, log, dependencies.now ?? Date.now);
  const { worker, reloadables = [] } = config.ROLE === 'web' ? {} : createWorker(dependencies, counter);
  const wake = (channel: MessageChannel): void => {
    if (worker === undefined) announce(channel);
    else worker.wake(channel);
  };
  const refused = new RefusedCodes(store, dependencies.timers ?? SYSTEM_TIMERS, (error) =>
    dependencies.logger.warn({ err: error }, 'refused codes not stored yet'),
  );
  return {
    acceptCode: createAcceptance(dependencies, refused, () => wake('sms')),
    reloadables: [...reloadables, receipts],
    receipts,
    wake,
    start: () => worker?.start(),
    stop: async (withinMs) => {
      await Promise.all([refused.write(), worker?.stop(withinMs)]);
    },
  };
}

/** @throws SettingError */
function createAcceptance(
  { store, config, logger, registry, knownCallers }: DeliveryDependencies,
  refused: RefusedCodes,
  wake: () => void,
): AcceptCode {
  const { PUMPING_GUARD: guard, ALLOWED_COUNTRIES: countries } = config;
  const homes = homeCountries(config);
  const enforces = guard === 'enforce';
  const report = guard === 'off' ? undefined : new GuardReport(logger, registry, enforces);
  return codeAcceptance(
    store,
    {
      limits: {
        repeatMs: config.CODE_REPEAT_SECONDS * 1000,
        coolDownMs: config.CODE_COOL_DOWN_SECONDS * 1000,
        perTenMinutes: config.CODES_PER_TEN_MINUTES,
        perDay: config.CODES_PER_DAY,
        perDayOverall: config.CODES_PER_DAY_OVERALL,
      },
      countries,
      knownCallers,
      guard: guard === 'off' ? undefined : new PumpingGuard(store, homes, enforces),
      onUnusual: report?.tell,
      onRefused: refused.note,
    },
    wake,
  );
}

/** @throws SettingError */
function createWorker(
  dependencies: DeliveryDependencies,
  receipts: ReceiptCounter,
): {
  readonly worker: Worker;
  readonly reloadables: readonly Reloadable[];
} {
  const { store, config, logger, registry, now = Date.now, random = Math.random } = dependencies;
  const { timers = SYSTEM_TIMERS, traceAttempt } = dependencies;
  const wording = new WordingInUse(config);
  const { notBefore } = wording;

  const log = new DeliveryLog(logger, new DeliveryMetrics(registry, () => store.outbox.backlog(), now));
  if (config.PUMPING_GUARD !== 'off')
    countBlockedAreas(registry, () => store.codeTraffic.blockedSince(now()));
  const timeoutMs = config.PROVIDER_TIMEOUT_SECONDS * 1000;
  const provider = <Message extends SmsMessage | PushMessage>(
    channel: MessageChannel,
    transport: Transport<Message>,
  ) => {
    const follow = (trace: TraceAttempt) => (message: Message) => {
      const facts = { channel, transport: transport.name, messageId: message.id };
      const attempt = trace(facts, message.trace);
      return {
        message: { ...message, trace: attempt.trace },
        end: (outcome: Outcome | undefined) => {
          const reason = outcome && reasonFor(outcome);
          attempt.end(outcome && { ...outcome, reason: reason ? reasonText(reason) : undefined });
        },
      };
    };
    return new Provider(
      transport,
      { timeoutMs, circuit: CIRCUIT },
      { now, timers },
      (cause) => log.circuit(channel, transport.name, cause),
      traceAttempt && follow(traceAttempt),
    );
  };
  const transports = dependencies.transports ?? { sms: smsTransports(config), push: pushTransport(config) };
  const sms = new SmsRoutes(transports.sms, (transport) => provider('sms', transport));
  const push = provider('push', transports.push);
  log.transports({ sms: config.SMS_CHANNEL, push: config.PUSH_CHANNEL });

  const owner = `${hostname()} ${String(process.pid)} ${randomBytes(4).toString('hex')}`;
  const leaseMs = LEASES * timeoutMs;
  const requestEnds = new RequestEnds(store, { now, timers }, log);
  const holdLog = new HoldLog({ store, node: nodeName(config.PORT), sms, push, now });
  const channelWorker = (channel: MessageChannel, options: WorkerChoices): ChannelWorker => {
    const { outbox } = store;
    return new ChannelWorker({
      channel,
      owner,
      outbox,
      rules: RETRY_RULES[channel],
      leaseMs,
      attemptMs: timeoutMs,
      now,
      timers,
      random,
      log,
      heldBy: holdLog.heldBy.bind(holdLog),
      onSettled: requestEnds.settled.bind(requestEnds),
      ...options,
    });
  };
  const repeatMs = config.REPEAT_WINDOW * 1000;
  const channels = {
    sms: channelWorker('sms', {
      deliver: smsSender(sms, wording, now),
      pace: sms,
      concurrency: config.SMS_CONCURRENCY,
    }),
    push: channelWorker('push', {
      deliver: pushSender({ provider: push, store, wording, notBefore, now }),
      pace: push,
      concurrency: config.PUSH_CONCURRENCY,
    }),
    mark: channelWorker('mark', {
      deliver: markRequestResolver({
        store,
        repeatMs,
        maxWaiting: {
          ofSchool: config.WAITING_NOTES_PER_SCHOOL,
          ofUnknownSchools: SCHOOLS_UNKNOWN * config.WAITING_NOTES_PER_SCHOOL,
        },
        notBefore,
        now,
        wakePushes: () => channels.push.wake(),
      }),
      concurrency: MARK_CONCURRENCY,
    }),
  };
  const share = new NodeShare(store, nodeName(config.PORT), timers.elapsed.bind(timers));
  const poll = new ReceiptPoll({ routes: sms, store: store.receipts, counter: receipts, timeoutMs, log });
  const worker = new Worker({
    owner,
    store,
    channels,
    requestEnds,
    oldMessages: new OldMessages(
      store,
      { days: config.KEEP_MESSAGES_DAYS, calendar: new Calendar(config.TIME_ZONE) },
      (messages) => log.oldRemoved(messages),
    ),
    isSettling: () => sms.isRated && share.isSettling,
    holdLog,
    onInterval: async (time) => {
      sms.shareAmong(await share.look(time));
      const { recorded, unknown } = await store.receipts.joinEarly(time);
      for (const { gateway, state } of recorded) receipts.count(gateway, state);
      if (recorded.length > 0) log.receiptsJoined(recorded.length);
      for (const { gateway } of unknown) receipts.count(gateway, 'unknown');
    },
    providers: [poll, sms, push],
    onMinute: (time) => void poll.ask(time),
    repeatMs,
    pollMs: POLL_MS,
    now,
    timers,
    log,
  });
  const ways = dependencies.transports === undefined ? waysToProviders(config, sms, push) : [];
  return { worker, reloadables: [wording, ...ways] };
}

type WorkerChoices = Pick<ChannelWorkerOptions, 'deliver' | 'concurrency' | 'pace'>;
