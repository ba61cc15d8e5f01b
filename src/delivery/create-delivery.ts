import type { Reloadable } from '../config';
import type { MessageChannel } from '../store';
import { homeCountries } from './delivery-findings';
import { createWorker, type WorkerDependencies } from './create-worker';
import { logUnread } from './workers/delivery-log';
import { type AcceptCode, codeAcceptance, RefusedCodes } from './policy/accept-code';
import { GuardReport, PumpingGuard } from './policy/pumping-guard';
import { SYSTEM_TIMERS } from './clock';
import { ReceiptCounter, ReceiptInbox } from './receipt-inbox';

interface DeliveryDependencies extends WorkerDependencies {
  /** Announces new messages to the process that delivers; default: through the store. */
  readonly announce?: ((channel: MessageChannel) => void) | undefined;
  /** Names of the known callers; default: none. */
  readonly knownCallers?: (() => readonly string[]) | undefined;
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
