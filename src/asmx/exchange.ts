import type { Binding, CallContext } from './contract';
import type { DocumentKind } from './documents';

/** How an exchange ended: answered, refused because of what the caller sent, or failed on our side. */
export type Outcome = 'ok' | 'client_error' | 'server_error';

/** One request and its answer, as told to the observer when the answer is written. Holds no personal data. */
export interface Exchange {
  readonly requestId: string;
  /** HTTP method, as received. */
  readonly method: string;
  /** Endpoint name from the service description (`AuthCodeSending`), or undefined outside the endpoints. */
  readonly endpoint: string | undefined;
  /** Operation name from the service description, or undefined where none was reached. */
  readonly operation: string | undefined;
  /** `wsdl`, `disco`, `page` for documents, undefined for what is none of these. */
  readonly binding: Binding | DocumentKind | undefined;
  /** HTTP status of the answer; 0 when the caller went away before it. */
  readonly status: number;
  readonly outcome: Outcome;
  /** From the request's header to the last byte handed to the socket, in milliseconds. */
  readonly durationMs: number;
  /** Fields added by the handler. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** What a handler threw, for the log; never shown to the caller by the observer. */
  readonly error: unknown;
}

export type ExchangeObserver = (exchange: Exchange) => void;

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
