import { refusalOf } from './authorizer';
import { type Binding, OperationFault, type OperationResult } from './contract/operation';
import { contentTypeTooLongPage, serverErrorPage } from './documents/pages/error-page';
import type { OpenExchange } from './exchange';
import { formFailure } from './form';
import { type BodyRefusal, createBodyReader, type ReadBody } from './http/request-body';
import type { HttpResponse } from './http/response';
import type { AsmxLimits, Bound } from './limits';
import { UnwritableValue } from './results/answer-node';
import type { Invocation, ReadOutcome } from './results/result-writer';
import { operationFailure, SOAP11, SOAP12 } from './soap/soap-fault';

/** Something under way that has to end in time. */
interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
  /** Called when the time is over. */
  readonly expire: () => void;
  /** Those that began before and after it; undefined when it has ended. */
  previous: Deadline | undefined;
  next: Deadline | undefined;
}

/** Watches over work that all has the same time, with one timer: one for each request costs more than it does. */
export class Deadlines {
  readonly #milliseconds: number;
  /** A ring in which those that began first stand first: a set would look each up twice. */
  readonly #ring: Deadline;
  #isWaiting = false;

  /** @param milliseconds how long the work may take */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    const ring: Deadline = { atMs: Infinity, expire: () => undefined, previous: undefined, next: undefined };
    ring.previous = ring;
    ring.next = ring;
    this.#ring = ring;
  }

  begin(expire: () => void): Deadline {
    const ring = this.#ring;
    const last = ring.previous ?? ring;
    const deadline = { atMs: performance.now() + this.#milliseconds, expire, previous: last, next: ring };
    last.next = deadline;
    ring.previous = deadline;
    if (!this.#isWaiting) this.#wait(this.#milliseconds);
    return deadline;
  }

  /** @returns whether the work ended in time */
  end(deadline: Deadline): boolean {
    const { previous, next } = deadline;
    if (previous === undefined || next === undefined) return false;
    previous.next = next;
    next.previous = previous;
    deadline.previous = undefined;
    deadline.next = undefined;
    return true;
  }

  #wait(milliseconds: number): void {
    this.#isWaiting = true;
    setTimeout(() => {
      this.#look();
    }, Math.ceil(milliseconds)).unref();
  }

  #look(): void {
    this.#isWaiting = false;
    const now = performance.now();
    for (;;) {
      const first = this.#ring.next;
      if (first === undefined || first === this.#ring) return;
      if (first.atMs > now) {
        this.#wait(first.atMs - now);
        return;
      }
      this.end(first);
      first.expire();
    }
  }
}

/** ASP.NET's words for a request over its executionTimeout. */
const TIMED_OUT = 'Request timed out.';

const writeFailure: Readonly<Record<Binding, (error: unknown) => HttpResponse>> = {
  soap11: (error) => operationFailure(SOAP11, error),
  soap12: (error) => operationFailure(SOAP12, error),
  get: formFailure,
  post: formFailure,
};

/**
 * Runs an operation and responds in the binding's form. What goes wrong becomes the binding's fault and is kept in
 * the exchange for the log.
 *
 * @param deadlines how long the handler may take
 */
async function invoke(invocation: Invocation, exchange: OpenExchange, deadlines: Deadlines): Promise<void> {
  const { operation, binding, args } = invocation;
  exchange.record.operation = operation.contract.name;
  exchange.record.binding = binding;
  // What a handler does after its time is its own business: its result is dropped, its error not reported twice.
  const deadline = deadlines.begin(() => {
    const error = new Error(TIMED_OUT);
    fail(exchange, binding, error, error);
  });
  let result: OperationResult;
  try {
    result = await operation.invoke[binding](args, exchange.record.call(binding));
  } catch (error) {
    if (deadlines.end(deadline)) fail(exchange, binding, error, error);
    return;
  }
  if (deadlines.end(deadline)) finish(exchange, invocation, result);
}

function finish(exchange: OpenExchange, { operation, binding }: Invocation, result: OperationResult): void {
  let response: HttpResponse;
  try {
    response = operation.writeResult[binding](result);
  } catch (error) {
    // A result that the contract does not know is a mistake in the program; what .NET would show of it is shown.
    fail(exchange, binding, error, error instanceof UnwritableValue ? error : undefined);
    return;
  }
  exchange.respond(response);
}

/** @param shown what the caller sees of it */
function fail(exchange: OpenExchange, binding: Binding, error: unknown, shown: unknown): void {
  exchange.record.error = error;
  exchange.record.outcome =
    error instanceof OperationFault && error.code === 'Client' ? 'client_error' : 'server_error';
  exchange.respond(writeFailure[binding](shown));
}

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
