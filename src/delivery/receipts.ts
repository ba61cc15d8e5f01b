import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import type { Config, Reloadable } from '../config';
import { ALL_FEATURES } from '../features/feature';
import type { Store } from '../store';
import type { Clock } from './clock';
import type { SmsRoutes } from './senders/sms-routes';

/** Offers what a feature that takes receipts of gateways may use. */
export interface ReceiptCore {
  readonly config: Config;
  readonly store: Store;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly now: Clock;
}

/** Takes what gateways report about SMS. A feature brings it. */
export interface ReceiptTaker extends Reloadable {
  /** Answers the calls of gateways, before the protocol does. */
  readonly middleware: RequestHandler;
  /**
   * Follows the SMS of a process that delivers.
   *
   * @param onFailure - called when the store fails
   */
  follow(sms: Pick<SmsRoutes, 'asked'>, onFailure: (error: unknown) => void): SentSms;
}

/** The SMS of a process that waits for receipts of them. */
export interface SentSms {
  /** Called every two seconds. @param now - milliseconds since 1970 UTC */
  look(now: number): Promise<void>;
  close(): Promise<void>;
}

/** @throws SettingError */
export type TakeReceipts = (core: ReceiptCore) => ReceiptTaker;

/** Returns what opens the first feature that takes receipts; undefined without one. */
export async function loadReceipts(): Promise<TakeReceipts | undefined> {
  return ALL_FEATURES.find((feature) => feature.loadReceipts !== undefined)?.loadReceipts?.();
}
