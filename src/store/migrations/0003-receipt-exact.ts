import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Adds whether a gateway gave the time of a receipt itself: 1 if it did. In rows of earlier versions it is
 * unknown, as it is where the gateway gives none.
 */
export function receiptExact(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`alter table messages add column receipt_exact integer`.execute(db);
      await sql`alter table early_receipts add column exact integer`.execute(db);
    },
  };
}
