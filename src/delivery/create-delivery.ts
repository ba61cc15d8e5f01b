import type { Reloadable } from '../config';
import type { MessageChannel } from '../store';
import { createWorker, type WorkerDependencies } from './create-worker';
import { type AcceptCode, codeAcceptance, RefusedCodes } from './policy/accept-code';
import type { CodeGuard } from './policy/code-guard';
import { SYSTEM_TIMERS } from './clock';
import type { ReceiptTaker, TakeReceipts } from './receipts';

interface DeliveryDependencies extends WorkerDependencies {
  /** Announces new messages to the process that delivers; default: through the store. */
  readonly announce?: ((channel: MessageChannel) => void) | undefined;
  /** Names of the known callers; default: none. */
  readonly knownCallers?: (() => readonly string[]) | undefined;
  /** Takes receipts of gateways; undefined if no feature does. */
  readonly takeReceipts: TakeReceipts | undefined;
  /** Monitors the destinations of codes; default: none. */
  readonly guard?: CodeGuard | undefined;
}

export interface Delivery {
  /** Stores codes, subject to the send policy. */
  readonly acceptCode: AcceptCode;
  /** Parts that can be reloaded while it runs. */
  readonly reloadables: readonly Reloadable[];
  /** Takes the receipts of SMS gateways; undefined if no feature does. */
  readonly receipts: ReceiptTaker | undefined;
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
  const receipts = dependencies.takeReceipts?.({ ...dependencies, now: dependencies.now ?? Date.now });
  const { worker, reloadables = [] } = config.ROLE === 'web' ? {} : createWorker(dependencies, receipts);
  const wake = (channel: MessageChannel): void => {
    if (worker === undefined) announce(channel);
    else worker.wake(channel);
  };
  const refused = new RefusedCodes(store, dependencies.timers ?? SYSTEM_TIMERS, (error) =>
    dependencies.logger.warn({ err: error }, 'refused codes not stored yet'),
  );
  return {
    acceptCode: createAcceptance(dependencies, refused, () => wake('sms')),
    reloadables: [...reloadables, ...(receipts === undefined ? [] : [receipts])],
    receipts,
    wake,
    start: () => worker?.start(),
    stop: async (withinMs) => {
      await Promise.all([refused.write(), worker?.stop(withinMs)]);
    },
  };
}

function createAcceptance(
  { store, config, knownCallers, guard }: DeliveryDependencies,
  refused: RefusedCodes,
  wake: () => void,
): AcceptCode {
  const limits = {
    repeatMs: config.CODE_REPEAT_SECONDS * 1000,
    ...config.CODE_LIMITS,
  };
  const countries = config.ALLOWED_COUNTRIES;
  return codeAcceptance(store, { limits, countries, knownCallers, guard, onRefused: refused.note }, wake);
}
