import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Config, Reloadable } from '../../config';
import { BodyTooComplex, readGateways } from '../../delivery';
import { isReceipt, type ReadReceipt, type ReceiptCall, ReceiptReader } from './receipt-reader';
import { noteUnread, type ReceiptCounter, type ReceiptLog, record } from './recording';
import type { Receipt, Receipts } from './stored-receipts';

/** Maximum number of receipts recorded in one transaction. */
const MAX_AT_ONCE = 1000;

interface WaitingReceipts {
  readonly receipts: readonly Receipt[];
  readonly recorded: () => void;
  readonly failed: (error: unknown) => void;
}

/** Takes the receipts that gateways send, and records those of a turn together. */
export class ReceiptInbox implements Reloadable {
  readonly settings = ['GATEWAYS_FILE'] as const;
  readonly #store: Pick<Receipts, 'record' | 'noteUnmatched'>;
  readonly #log: Pick<ReceiptLog, 'unread'>;
  readonly #counter: ReceiptCounter;
  readonly #now: () => number;
  #readers: ReadonlyMap<string, ReceiptReader> = new Map();
  #waiting: WaitingReceipts[] = [];
  #isWriting = false;

  /** @throws SettingError for an unusable GATEWAYS_FILE */
  constructor(
    config: Config,
    store: Pick<Receipts, 'record' | 'noteUnmatched'>,
    counter: ReceiptCounter,
    log: Pick<ReceiptLog, 'unread'>,
    now: () => number,
  ) {
    this.#store = store;
    this.#log = log;
    this.#counter = counter;
    this.#now = now;
    this.reload(config);
  }

  reload({ SMS_CHANNEL, GATEWAYS_FILE }: Config): void {
    const gateways =
      SMS_CHANNEL === 'http' && GATEWAYS_FILE !== undefined ? readGateways(GATEWAYS_FILE).gateways : [];
    const readers = new Map(
      gateways.flatMap((gateway) => {
        const reader = ReceiptReader.of(gateway);
        return reader === undefined ? [] : [[gateway.name, reader] as const];
      }),
    );
    for (const gateway of readers.keys()) this.#counter.show(gateway);
    this.#readers = readers;
  }

  /** True if a gateway sends receipts. */
  get isUsed(): boolean {
    return this.#readers.size > 0;
  }

  /** Returns true for the secret of a gateway that sends receipts. */
  admits(gateway: string, secret: string): boolean {
    return this.#readers.get(gateway)?.isSecret(secret) === true;
  }

  /** Returns the body of the answer that a gateway waits for. */
  replyTo(gateway: string): string {
    return this.#readers.get(gateway)?.reply ?? '';
  }

  /**
   * Records the receipts of an admitted call. Resolves when they are durable.
   *
   * @returns false for an invalid signature
   * @throws BodyTooComplex
   */
  async take(gateway: string, call: ReceiptCall): Promise<boolean> {
    const read = this.#read(gateway, call);
    if (read === undefined) {
      this.#counter.count(gateway, 'forged');
      return false;
    }
    const receipts = read.filter(isReceipt);
    // A call has at least one receipt.
    await noteUnread(
      this.#store,
      this.#counter,
      this.#log,
      gateway,
      read.length === 0 ? ['unreadable'] : read,
    );
    if (receipts.length > 0) {
      await new Promise<void>((recorded, failed) => {
        this.#waiting.push({ receipts, recorded, failed });
        if (!this.#isWriting) void this.#writeAll();
      });
    }
    return true;
  }

  #read(gateway: string, call: ReceiptCall): readonly ReadReceipt[] | undefined {
    try {
      return this.#readers.get(gateway)?.read(call, this.#now());
    } catch (error) {
      if (error instanceof BodyTooComplex) this.#counter.count(gateway, 'unreadable');
      throw error;
    }
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // Calls that arrive in the same turn share the first transaction.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const calls = this.#nextCalls();
      const receipts = calls.flatMap((call) => call.receipts);
      try {
        await record(this.#store, this.#counter, receipts, this.#now());
        for (const { recorded } of calls) recorded();
      } catch (error) {
        for (const { failed } of calls) failed(error);
      }
    }
    this.#isWriting = false;
  }

  /** A call has at most as many receipts as a transaction takes. */
  #nextCalls(): readonly WaitingReceipts[] {
    let receipts = 0;
    const end = this.#waiting.findIndex((call) => (receipts += call.receipts.length) > MAX_AT_ONCE);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
