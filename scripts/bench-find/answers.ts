import type { DeliveryFilter, DeliveryPage, Store } from '../../src/store';

/** Describes what the operator got, and how long it took. */
export interface Answer {
  readonly filter: DeliveryFilter;
  readonly page: 'first' | 'second' | 'middle';
  readonly milliseconds: number;
  /** Messages on the page. */
  readonly found: number;
}

/** Messages on a page, as many as the command lists. */
const LIMIT = 50;
/** Others may work on the machine: what took too long is asked again, and the least counts. */
const MAX_TIMES = 5;

/** The pages of a filter: the first one, the second where there is one, and the one before a message in the middle. */
export async function askFor(
  store: Store,
  filter: DeliveryFilter,
  middle: string,
  targetMs: number,
): Promise<readonly Answer[]> {
  const ask = async (page: Answer['page'], before?: string) => {
    let milliseconds = Number.POSITIVE_INFINITY;
    let got: DeliveryPage | undefined;
    for (let time = 0; time < MAX_TIMES && milliseconds > targetMs; time += 1) {
      const begin = performance.now();
      got = await store.deliveries.page(filter, LIMIT, { before });
      milliseconds = Math.min(milliseconds, performance.now() - begin);
    }
    return { next: got?.next, answer: { filter, page, milliseconds, found: got?.messages.length ?? 0 } };
  };
  const first = await ask('first');
  const second = first.next === undefined ? [] : [(await ask('second', first.next)).answer];
  return [first.answer, ...second, (await ask('middle', middle)).answer];
}
