import type { IncomingMessage } from 'node:http';

import type { Exchange, TraceContext, TraceReader } from '../../asmx';
import type { TraceAttempt } from '../../delivery';

/** What is told of a request that was passed on. */
export interface PassedCall {
  /** Undefined where nobody could tell. */
  readonly operation: string | undefined;
  readonly binding: string | undefined;
}

/** How that ended. */
export interface PassageEnd {
  /** `answered`, or how else. */
  readonly outcome: string;
  /** Of the other server; 0 where it gave none. */
  readonly status: number;
}

/** A request that is passed on. */
export interface TracedPassage {
  /** What the other server is told, in the place of what the caller said; undefined leaves that as it is. */
  readonly trace: TraceContext | undefined;
  readonly end: (call: PassedCall, end: PassageEnd) => void;
}

/** What follows requests and attempts through the service, or only hands on what callers say of them. */
export interface Tracing {
  /** Asked of each request as it begins. */
  readonly begin: TraceReader;
  /** Told of each request at its end. */
  readonly end?: (exchange: Exchange) => void;
  readonly traceAttempt?: TraceAttempt;
  /** Asked of each request that is passed on to another server as it begins. */
  readonly tracePassage: (request: IncomingMessage) => TracedPassage;
  /** Sends what was not sent yet, as far as that is done soon. It does not throw. */
  readonly close: () => Promise<void>;
}
