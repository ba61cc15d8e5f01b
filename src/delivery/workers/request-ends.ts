import type { ClaimedMessage, MessageChannel, Settlement, Store } from '../../store';
import type { Clock, Timers } from '../clock';
import type { DeliveryLog } from './delivery-log';

/** Number of requests examined in one transaction. */
const CHUNK = 50;

/**
 * Ends SendMarkNotes requests whose last push message has ended. This needs a transaction of its own: two
 * workers that settle the last two messages at once would not see each other's.
 */
export class RequestEnds {
  readonly #store: Pick<Store, 'write' | 'requestEnds'>;
  readonly #now: Clock;
  readonly #timers: Timers;
  readonly #log: DeliveryLog;
  #mayHaveEnded = new Set<string>();

  constructor(
    store: Pick<Store, 'write' | 'requestEnds'>,
    { now, timers }: { readonly now: Clock; readonly timers: Timers },
    log: DeliveryLog,
  ) {
    this.#store = store;
    this.#now = now;
    this.#timers = timers;
    this.#log = log;
  }

  settled(channel: MessageChannel, { id, requestId }: ClaimedMessage, state: Settlement['state']): void {
    if (state === 'open')
      this.#mayHaveEnded.add(id); // A class may have no device at all.
    else if (channel === 'push' && state !== 'queued' && requestId !== undefined)
      this.#mayHaveEnded.add(requestId);
  }

  async endNoted(): Promise<void> {
    const noted = [...this.#mayHaveEnded];
    this.#mayHaveEnded = new Set();
    while (noted.length > 0) {
      const chunk = noted.slice(0, CHUNK);
      try {
        const ends = await this.#store.write(({ requestEnds }) => requestEnds.end(chunk, this.#now()));
        for (const end of ends) this.#log.requestEnded(end, this.#now());
      } catch (error) {
        for (const id of noted) this.#mayHaveEnded.add(id);
        throw error;
      }
      noted.splice(0, CHUNK);
    }
  }

  /**
   * Notes requests that have ended unnoticed, because their worker died or the operator cancelled the rest.
   */
  async recordMissedEnds(): Promise<void> {
    let after = '';
    for (;;) {
      const open = await this.#store.requestEnds.openAfter(after);
      for (const { id, isUnderWay } of open) if (!isUnderWay) this.#mayHaveEnded.add(id);
      const last = open.at(-1);
      if (last === undefined) return;
      after = last.id;
      await this.#timers.nextTurn();
    }
  }
}
