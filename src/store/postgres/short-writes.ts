import { isOfOneCall } from './gathering-connection';
import { Gatherer } from './gatherer';
import { type JobOutcome, JobToBeUndone, type Work } from './shared-transaction';

interface Job {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How transactions are run. */
export interface Transactions {
  readonly alone: <T>(work: Work<T>) => Promise<T>;
  /** @throws JobToBeUndone, or the StoreError of a statement */
  readonly together: (works: readonly Work<unknown>[]) => Promise<readonly JobOutcome[]>;
}

/** Most jobs in one transaction: what it has locked, others wait for. */
const MOST_JOBS = 64;

/**
 * Lets the short writes of one turn of the event loop share a transaction, and with it the round trips and the wait for
 * the disk. Where one of them fails they are run again, each by itself.
 */
export class ShortWrites {
  readonly #transactions: Transactions;
  readonly #jobs: Gatherer<Job>;

  /** @param mostAtOnce - transactions; what comes meanwhile is gathered for the next one */
  constructor(transactions: Transactions, mostAtOnce: number) {
    this.#transactions = transactions;
    this.#jobs = new Gatherer((jobs) => this.#run(jobs), MOST_JOBS, mostAtOnce);
  }

  write<T>(work: Work<T>): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      this.#jobs.add({ work, resolve, reject });
    }) as Promise<T>; // What the job is resolved with comes from its own work.
  }

  async #run(jobs: readonly Job[]): Promise<void> {
    if (jobs.length > 1) {
      try {
        const outcomes = await this.#transactions.together(jobs.map(({ work }) => work));
        for (const [at, outcome] of outcomes.entries()) {
          if ('error' in outcome) jobs[at]?.reject(outcome.error);
          else jobs[at]?.resolve(outcome.result);
        }
        return;
      } catch (error) {
        if (!(error instanceof JobToBeUndone) && !isOfOneCall(error)) {
          for (const job of jobs) job.reject(error);
          return;
        }
      }
    }
    // One after the other, as they came.
    for (const { work, resolve, reject } of jobs) await this.#transactions.alone(work).then(resolve, reject);
  }
}
