import { hostname } from 'node:os';

import { PULSE_MS, type Store } from '../../store';
import { type Node, readNodeFacts } from './node-facts';

/** Tells nodes apart that work on one database. @param port - of the service; 0 for one that the system chooses */
export function nodeName(port: number): string {
  return `${hostname()}:${String(port === 0 ? process.pid : port)}`;
}

export interface NodePulseOptions {
  readonly store: { readonly nodes: Pick<Store['nodes'], 'say' | 'leave'> };
  readonly node: Node;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Says in the store each minute how this node is, so that every console shows all nodes. */
export class NodePulse {
  readonly #store: NodePulseOptions['store'];
  readonly #node: Node;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #saying: Promise<void> = Promise.resolve();

  constructor({ store, node, now = Date.now }: NodePulseOptions) {
    this.#store = store;
    this.#node = node;
    this.#now = now;
  }

  /** From now on. */
  start(): void {
    this.#saying = this.say();
    this.#timer = setInterval(() => {
      this.#saying = this.say();
    }, PULSE_MS).unref();
  }

  /** Says it once. It does not throw: a store that does not answer is told of by others, and this node by its silence. */
  async say(): Promise<void> {
    try {
      await this.#store.nodes.say(this.#node.name, await readNodeFacts(this.#node), this.#now());
    } catch {
      // The next minute tries again.
    }
  }

  /** Says nothing any more, and that this node is gone. It does not throw. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saying;
    try {
      await this.#store.nodes.leave(this.#node.name);
    } catch {
      // It is forgotten in a day.
    }
  }
}
