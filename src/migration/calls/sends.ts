import type { Call } from './call-of';

/** The operations of an endpoint, by whether calling them sends something to people. */
export interface EndpointOperations {
  /** Name of its file, such as `Scheduals.asmx`. */
  readonly file: string;
  readonly reads: readonly string[];
  readonly sends: readonly string[];
}

/**
 * `read` sends nothing; `send` sends something, or may do so; `foreign` is for none of the endpoints, so that nobody
 * knows what it does.
 */
export type CallClass = 'read' | 'send' | 'foreign';

/** Knows which requests can be sent again without anybody getting a message. */
export class Sends {
  readonly #endpoints: ReadonlyMap<string, EndpointOperations>;

  constructor(endpoints: readonly EndpointOperations[]) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.file.toLowerCase(), endpoint]));
  }

  /** The operation as far as it is one of the endpoint's: a name that nobody knows may hold anything. */
  operationOf({ endpoint, operation }: Call): string {
    const { reads = [], sends = [] } = this.#endpoints.get(endpoint) ?? {};
    return [...reads, ...sends].includes(operation) ? operation : '';
  }

  /**
   * Of an endpoint that has operations that send, a call is one of them unless all that it says names one that reads:
   * servers may go by the head, the body or the path.
   */
  classOf({ endpoint, binding, names }: Call): CallClass {
    const operations = this.#endpoints.get(endpoint);
    if (operations === undefined) return 'foreign';
    if (binding === 'document' || operations.sends.length === 0) return 'read';
    const isRead = names.length > 0 && names.every((name) => operations.reads.includes(name));
    return isRead ? 'read' : 'send';
  }
}
