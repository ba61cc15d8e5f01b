import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import type { Config } from '../config';
import type { MessageChannel, Store } from '../store';
import type { Clock, Random } from './outcome/clock';
import { createWorker } from './create-worker';
import { codeAcceptance } from './policy/accept-code';

export interface DeliveryDependencies {
  readonly store: Store;
  readonly config: Config;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Tells other processes of new messages, where this one does not deliver; default: through the store. */
  readonly announce?: ((channel: MessageChannel) => void) | undefined;
  readonly now?: Clock;
  readonly random?: Random;
}

/** What the rest of the service sees of the delivery. */
export interface Delivery {
  /** The send policy for codes; see codeAcceptance. */
  readonly acceptCode: ReturnType<typeof codeAcceptance>;
  /** There is a new message in a channel. */
  wake(channel: MessageChannel): void;
  /** Delivers from now on, where this process is to. */
  start(): void;
  /** Finishes what is under way and hands back the rest, within a time in milliseconds. */
  stop(withinMs: number): Promise<void>;
}

/**
 * Builds the delivery by the settings.
 *
 * @throws SettingError for settings that cannot be used together, or a file that cannot
 */
export function createDelivery(dependencies: DeliveryDependencies): Delivery {
  const { store, config } = dependencies;
  const { announce = store.announce.bind(store) } = dependencies;
  const worker = config.ROLE === 'web' ? undefined : createWorker(dependencies);
  const wake = (channel: MessageChannel): void => {
    if (worker === undefined) announce(channel);
    else worker.wake(channel);
  };
  return {
    acceptCode: codeAcceptance(
      store,
      {
        limits: {
          repeatMs: config.CODE_REPEAT_SECONDS * 1000,
          coolDownMs: config.CODE_COOL_DOWN_SECONDS * 1000,
          perTenMinutes: config.CODES_PER_TEN_MINUTES,
          perDay: config.CODES_PER_DAY,
          perDayOverall: config.CODES_PER_DAY_OVERALL,
        },
        countries: config.ALLOWED_COUNTRIES,
      },
      () => {
        wake('sms');
      },
    ),
    wake,
    start: () => worker?.start(),
    stop: async (withinMs) => worker?.stop(withinMs),
  };
}
