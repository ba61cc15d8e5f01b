import { type Store, SILENT_MS } from '../../store';

/** Number of looks in quick succession after the start, for nodes that start together. */
const FIRST_LOOKS = 10;
/** Time in which every other node has looked at least once, in milliseconds. */
const SEEN_WITHIN_MS = 4500;
/** Maximum time for which a joining node sends nothing, in milliseconds, if its report fails. */
const MAX_WAIT_MS = 15_000;

/** Divides the declared rate of a gateway among the nodes that deliver. */
export class NodeShare {
  readonly #store: Pick<Store, 'nodes'>;
  readonly #own: string;
  readonly #elapsed: () => number;
  readonly #startedAt: number;
  #looks = 0;
  #joins = false;
  #seenAt: number | undefined;

  /**
   * @param own - name of this node in its reports
   * @param elapsed - monotonic time in milliseconds
   */
  constructor(store: Pick<Store, 'nodes'>, own: string, elapsed: () => number) {
    this.#store = store;
    this.#own = own;
    this.#elapsed = elapsed;
    this.#startedAt = elapsed();
  }

  /** True shortly after the start. */
  get isSettling(): boolean {
    return this.#looks < FIRST_LOOKS;
  }

  /**
   * Returns the number of nodes that share the rate. It is infinite for a node that joins others, until they
   * have seen its report and take less: together they would exceed the rate. A lone node waits for its second
   * look, since others may start at the same moment.
   *
   * @param now - milliseconds since 1970 UTC
   */
  async look(now: number): Promise<number> {
    const all = await this.#store.nodes.list();
    const alive = all.filter(({ heardAt, circuits }) => heardAt > now - SILENT_MS && circuits.length > 0);
    const others = alive.filter(({ name }) => name !== this.#own).length;
    const elapsed = this.#elapsed();
    const isFirst = this.#looks === 0;
    if (isFirst) this.#joins = others > 0;
    this.#looks += 1;
    // A report from before the start may be this node's former run.
    const sinceMs = elapsed - this.#startedAt;
    const isSeen = alive.some(({ name, heardAt }) => name === this.#own && heardAt >= now - sinceMs);
    if (isSeen) this.#seenAt ??= elapsed;
    const isKnown = this.#seenAt !== undefined && elapsed - this.#seenAt >= SEEN_WITHIN_MS;
    if (others === 0 || isKnown || sinceMs > MAX_WAIT_MS) this.#joins = false;
    return isFirst || this.#joins ? Number.POSITIVE_INFINITY : others + 1;
  }
}
