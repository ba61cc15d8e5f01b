import type { Binding } from './contract';

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
  readonly binding: Binding | 'wsdl' | 'disco' | 'page' | undefined;
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
