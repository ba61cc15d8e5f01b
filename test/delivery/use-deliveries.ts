import { loadReceipts, type TakeReceipts } from '../../src/delivery';
import type { Store } from '../../src/store';
import type { FakeProvider } from '../../scripts/harness/delivery';
import type { TemplateName } from '../harness/database-templates';
import { type EngineName, type TestDatabase, useDatabase } from '../harness/test-databases';
import { RunningDelivery } from './running-delivery';
import { useProvider } from './use-provider';

type Settings = Readonly<Record<string, string>>;

export interface Deliveries {
  readonly database: TestDatabase;
  readonly sms: () => FakeProvider;
  readonly push: () => FakeProvider;
  /** The store on that database that deliveries have unless they are given another. */
  readonly store: Store;
  readonly make: (settings?: Settings, on?: Store) => RunningDelivery;
  /** Makes one and starts it. */
  readonly start: (settings?: Settings, gateway?: Readonly<Record<string, unknown>>) => RunningDelivery;
  /** Stops all that were made, as the end of a test does. */
  readonly stopAll: () => Promise<unknown>;
}

/** Gives each test of the surrounding block a database, providers, and as many deliveries on them as it starts. */
export function useDeliveries(engine: EngineName, holds: TemplateName = 'schema'): Deliveries {
  const running: RunningDelivery[] = [];
  const stopAll = (): Promise<unknown> =>
    Promise.all(running.splice(0).map(({ delivery }) => delivery.stop(1000)));
  // Hooks run in their order, and the next ones remove what this one needs.
  afterEach(stopAll);
  const database = useDatabase(engine, { holds });
  const sms = useProvider();
  const push = useProvider();
  let store: Store | undefined;
  let takeReceipts: TakeReceipts | undefined;
  beforeEach(async () => {
    takeReceipts = await loadReceipts();
    store = await database.open();
  });
  const opened = (): Store => {
    if (store === undefined) throw new Error('There is a store only while a test runs');
    return store;
  };
  const make = (
    settings: Settings = {},
    on = opened(),
    gateway: Readonly<Record<string, unknown>> = {},
  ): RunningDelivery => {
    const providers = { sms: sms(), push: push(), takeReceipts };
    const made = new RunningDelivery(on, database, providers, settings, gateway);
    running.push(made);
    return made;
  };
  return {
    database,
    sms,
    push,
    get store() {
      return opened();
    },
    make,
    start: (settings, gateway) => {
      const made = make(settings, undefined, gateway);
      made.delivery.start();
      return made;
    },
    stopAll,
  };
}
