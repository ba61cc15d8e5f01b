import type { Exchange, ExchangeObserver, Outcome } from './exchange';
import type { Binding, CallContext } from './contract';

let counter = 0;
const PREFIX = `${process.pid.toString(36)}-${Date.now().toString(36)}-`;

const NO_FIELDS: Exchange['fields'] = {};

/** Gathers what is told of one exchange while it is served. */
export class ExchangeRecord implements Exchange {
  readonly requestId: string;
  readonly method: string;
  endpoint: string | undefined;
  operation: string | undefined;
  binding: Exchange['binding'];
  status = 0;
  outcome: Outcome = 'ok';
  durationMs = 0;
  fields = NO_FIELDS;
  error: unknown;
  readonly #start = performance.now();

  constructor(method: string) {
    counter += 1;
    this.requestId = PREFIX + String(counter);
    this.method = method;
  }

  /** The context that a handler sees. */
  call(binding: Binding): CallContext {
    return {
      binding,
      requestId: this.requestId,
      annotate: (fields) => {
        this.fields = this.fields === NO_FIELDS ? fields : { ...this.fields, ...fields };
      },
    };
  }

  /** @param status HTTP status of the answer, 0 when the caller was gone */
  tell(observe: ExchangeObserver, status: number): void {
    this.status = status;
    if (this.outcome === 'ok' && (status < 200 || status >= 400)) this.outcome = 'client_error';
    this.durationMs = performance.now() - this.#start;
    observe(this);
  }
}
