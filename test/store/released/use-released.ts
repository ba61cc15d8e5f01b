import type { Store } from '../../../src/store';
import { RunningDelivery } from '../../delivery/running-delivery';
import { useProvider } from '../../delivery/use-provider';
import type { FakeProvider } from '../../../scripts/harness/delivery';
import { type EngineName, type TestDatabase, useDatabase } from '../../support/test-databases';
import { putReleased, type ReleasedSchema } from './released-database';

/** What a program of an earlier version left behind, for one test. */
export interface Released {
  readonly database: TestDatabase;
  readonly sms: () => FakeProvider;
  readonly push: () => FakeProvider;
  /** Starts the delivery on it at a time, in milliseconds; it ends with the test. */
  readonly deliver: (store: Store, now: number) => RunningDelivery;
}

/** Gives each test of the surrounding block the database that a program of that schema left behind. */
export function useReleased(schema: ReleasedSchema, engine: EngineName): Released {
  let delivery: RunningDelivery | undefined;
  // First of all: hooks run in their order, and the next ones take away what it stands on.
  afterEach(async () => {
    await delivery?.delivery.stop(1000);
    delivery = undefined;
  });
  const database = useDatabase(engine, { holds: 'nothing' });
  const sms = useProvider();
  const push = useProvider();
  beforeEach(() => putReleased(schema, engine, database));
  return {
    database,
    sms,
    push,
    deliver: (store, now) => {
      delivery = new RunningDelivery(store, database, { sms: sms(), push: push() });
      delivery.now = now;
      delivery.delivery.start();
      return delivery;
    },
  };
}
