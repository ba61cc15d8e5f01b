import type { Store } from '../../src/store';
import { type ReceiptState, Repository } from '../../src/store/statements';

interface StoredReceipt {
  readonly state: ReceiptState;
  readonly code?: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly isExact?: true;
  readonly parts?: number;
}

class ReportedSms extends Repository {
  async report(providerId: string, { state, code, at, isExact, parts }: StoredReceipt): Promise<void> {
    await this.connection.kysely
      .updateTable('messages')
      .set({
        ...{ receipt: state, receipt_code: code ?? null, receipt_at: at },
        ...{ receipt_exact: isExact === true ? 1 : null, ...(parts !== undefined && { parts }) },
      })
      .where('provider_id', '=', providerId)
      .execute();
  }
}

/** Stores what a gateway reported about an SMS, as a feature that takes receipts does. */
export function storeReceipt(
  store: Pick<Store, 'write'>,
  providerId: string,
  receipt: StoredReceipt,
): Promise<void> {
  return store.write((transaction) => transaction.repository(ReportedSms).report(providerId, receipt));
}
