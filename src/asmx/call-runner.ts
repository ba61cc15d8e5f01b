import { Deadlines } from './deadlines';
import { contentTypeTooLongPage, serverErrorPage } from './documents';
import type { OpenExchange } from './exchange';
import { type BodyRefusal, createBodyReader, type HttpResponse, type ReadBody } from './http';
import { invoke } from './invoke';
import type { AsmxLimits, Bound } from './limits';
import { refusalOf } from './pass-gate';
import type { ReadOutcome } from './results';

/** Sees a call through that was let in: reads its body, runs its operation. */
export class CallRunner {
  readonly #limits: AsmxLimits;
  readonly #readBody: ReadBody;
  readonly #deadlines: Deadlines;

  constructor(limits: AsmxLimits, onBound: (bound: Bound) => void) {
    this.#limits = limits;
    this.#readBody = createBodyReader(limits, () => {
      onBound('bodies');
    });
    this.#deadlines = new Deadlines(limits.handlerMilliseconds);
  }

  /** Reads the body of a call, and goes on with what is read of it; `refuse` answers one that is not taken. */
  withBody(
    exchange: OpenExchange,
    refuse: (reason: BodyRefusal) => HttpResponse,
    read: (body: Buffer) => ReadOutcome,
  ): void {
    const { request } = exchange;
    if ((request.headers['content-type']?.length ?? 0) > this.#limits.contentTypeCharacters) {
      exchange.refuse(contentTypeTooLongPage);
      return;
    }
    this.#readBody(request, exchange.response, (outcome) => {
      if (outcome === 'aborted') exchange.record.end(0);
      else if (typeof outcome === 'string') exchange.refuse(refuse(outcome));
      else this.#readAndProceed(exchange, outcome, read);
    });
  }

  // Nobody stands above a body's last event: an error would end the process.
  #readAndProceed(exchange: OpenExchange, body: Buffer, read: (body: Buffer) => ReadOutcome): void {
    let outcome: ReadOutcome;
    try {
      outcome = read(body);
    } catch (error) {
      exchange.fail(error, serverErrorPage);
      return;
    }
    this.proceed(exchange, outcome);
  }

  /** Runs what was read, or answers where that is no call. */
  proceed(exchange: OpenExchange, read: ReadOutcome): void {
    if ('response' in read) {
      exchange.respond(read.response);
      return;
    }
    const refusal = refusalOf(exchange, read.invocation);
    if (refusal === undefined) void invoke(read.invocation, exchange, this.#deadlines);
    else exchange.respond(refusal);
  }
}
