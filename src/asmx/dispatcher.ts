import type { NextFunction, Request, Response } from 'express';
import {
  type AllowedHosts,
  type Answer,
  createBodyReader,
  type ReadBody,
  readPublicAddress,
  refuseBody,
  sendAnswer,
} from './http';
import { Deadlines } from './deadlines';
import type { Endpoint } from './endpoint';
import { type ExchangeObserver, ExchangeRecord } from './exchange';
import { oversizeForm, readForm, readQuery, unknownOperation } from './form';
import { invoke } from './invoke';
import type { AsmxLimits } from './limits';
import {
  hostNotAllowedPage,
  type Metadata,
  methodNotAllowedPage,
  notFoundPage,
  pathTooLongPage,
  queryTooLongPage,
  serverErrorPage,
  unrecognizedPage,
} from './documents';
import { type Route, Routes } from './routes';
import type { Reading } from './results';
import { oversizeEnvelope } from './soap';
import type { ServiceContract } from './contract';

interface DispatcherOptions {
  readonly endpoints: readonly Endpoint[];
  readonly limits: AsmxLimits;
  readonly metadata: Metadata;
  /** Undefined lets every host name in. */
  readonly allowedHosts: AllowedHosts | undefined;
  readonly observe: ExchangeObserver;
}

/** Decides which binding a request is for (wire contract, section 1) and sees it through. */
export class Dispatcher {
  readonly #limits: AsmxLimits;
  readonly #metadata: Metadata;
  readonly #allowedHosts: AllowedHosts | undefined;
  readonly #observe: ExchangeObserver;
  readonly #readBody: ReadBody;
  readonly #deadlines: Deadlines;
  readonly #routes: Routes;
  readonly #services: readonly ServiceContract[];

  constructor({ endpoints, limits, metadata, allowedHosts, observe }: DispatcherOptions) {
    this.#limits = limits;
    this.#metadata = metadata;
    this.#allowedHosts = allowedHosts;
    this.#observe = observe;
    this.#readBody = createBodyReader(limits.bodyBytes);
    this.#deadlines = new Deadlines(limits.handlerMilliseconds);
    this.#routes = new Routes(endpoints);
    this.#services = endpoints.map(({ contract }) => contract);
  }

  /** Serves a request for an endpoint or for the list of endpoints; any other goes on to `next`. */
  handle(request: Request, response: Response, next: NextFunction): void {
    const { method, url } = request;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);
    const route = this.#routes.find(path);
    if (route === undefined) {
      if (path === '/' && method === 'GET') this.#handleIndex(request, response, next);
      else next();
      return;
    }
    const record = new ExchangeRecord(method);
    if (this.#isForeign(request)) {
      this.#send(response, record, hostNotAllowedPage);
      return;
    }
    if ('status' in route) {
      this.#send(response, record, route);
      return;
    }
    record.endpoint = route.endpoint.contract.name;
    if (query.length > this.#limits.queryCharacters) this.#send(response, record, queryTooLongPage);
    else if (path.length > this.#limits.pathCharacters) this.#send(response, record, pathTooLongPage);
    else if (route.pathInfo === '') this.#handleEndpoint(request, response, record, route, query);
    else this.#handleOperation(request, response, record, route, query);
  }

  /**
   * Answers a request whose method Node's parser does not know: it never becomes a request of Express's.
   *
   * @param url the request target
   */
  refuseMethod(method: string, url: string): Answer {
    const record = new ExchangeRecord(method);
    const [path = ''] = url.split('?', 1);
    const route = this.#routes.find(path);
    let answer: Answer;
    if (route === undefined) answer = notFoundPage;
    else if ('status' in route) answer = route;
    else answer = route.pathInfo === '' ? methodNotAllowedPage : unrecognizedPage(route.pathInfo);
    record.tell(this.#observe, answer.status);
    return answer;
  }

  /** Answers what nobody else did, or what failed: a page that says so, and nothing of the error. */
  finish(error: unknown, request: Request, response: Response): void {
    const record = new ExchangeRecord(request.method);
    if (error === undefined || error === null) {
      this.#send(response, record, notFoundPage);
      return;
    }
    record.error = error;
    record.outcome = 'server_error';
    // Half an answer is no answer: the caller must see that the rest is missing.
    if (response.headersSent) response.destroy();
    this.#send(response, record, serverErrorPage);
  }

  /** Whether a request names a host that this server is not to be known by. */
  #isForeign(request: Request): boolean {
    return this.#allowedHosts !== undefined && !this.#allowedHosts.has(readPublicAddress(request).authority);
  }

  #handleIndex(request: Request, response: Response, next: NextFunction): void {
    const record = new ExchangeRecord(request.method);
    record.binding = 'page';
    if (this.#isForeign(request)) {
      this.#send(response, record, hostNotAllowedPage);
      return;
    }
    this.#metadata.index(this.#services, request).then((answer) => {
      this.#send(response, record, answer);
    }, next);
  }

  #handleEndpoint(
    request: Request,
    response: Response,
    record: ExchangeRecord,
    { endpoint, path }: Route,
    query: string,
  ): void {
    if (request.method === 'POST') {
      const head = { contentType: request.headers['content-type'], soapAction: lastSoapAction(request) };
      this.#withBody(
        request,
        response,
        record,
        () => oversizeEnvelope(head),
        (body) => endpoint.soap.read({ ...head, body }),
      );
    } else if (request.method === 'GET') {
      const { kind, answer } = this.#metadata.answer(endpoint, request, path, query);
      record.binding = kind;
      this.#send(response, record, answer);
    } else this.#send(response, record, methodNotAllowedPage);
  }

  #handleOperation(
    request: Request,
    response: Response,
    record: ExchangeRecord,
    route: Route,
    query: string,
  ): void {
    const { endpoint, pathInfo, operation } = route;
    const name = pathInfo.slice(1);
    const binding = request.method === 'GET' ? 'get' : request.method === 'POST' ? 'post' : undefined;
    const offered = binding !== undefined && (operation?.contract.bindings.has(binding) ?? true);
    // ASP.NET hands the two script proxies to a handler that these services do not have.
    if (binding === undefined || !offered || name === '' || name === 'js' || name === 'jsdebug') {
      this.#send(response, record, unrecognizedPage(pathInfo));
      return;
    }
    record.binding = binding;
    if (operation === undefined) {
      const contracts = endpoint.contract.operations;
      this.#send(response, record, unknownOperation(name, contracts));
    } else if (binding === 'get') {
      this.#proceed(response, record, readQuery(operation, query));
    } else {
      this.#withBody(request, response, record, oversizeForm, (body) =>
        readForm(operation, request.headers['content-type'], body),
      );
    }
  }

  #withBody(
    request: Request,
    response: Response,
    record: ExchangeRecord,
    oversize: () => Answer,
    read: (body: Buffer) => Reading,
  ): void {
    this.#readBody(request, response, (outcome) => {
      if (outcome === 'aborted') record.tell(this.#observe, 0);
      else if (outcome === 'too-large') {
        const answer = oversize();
        refuseBody(request, response, answer);
        record.tell(this.#observe, answer.status);
      } else this.#proceed(response, record, read(outcome));
    });
  }

  #proceed(response: Response, record: ExchangeRecord, reading: Reading): void {
    if ('answer' in reading) {
      this.#send(response, record, reading.answer);
      return;
    }
    const { invocation } = reading;
    record.operation = invocation.operation.contract.name;
    record.binding = invocation.binding;
    invoke(invocation, record, this.#deadlines, (answer) => {
      this.#send(response, record, answer);
    });
  }

  #send(response: Response, record: ExchangeRecord, answer: Answer): void {
    if (response.destroyed) {
      record.tell(this.#observe, 0);
      return;
    }
    sendAnswer(response, answer);
    record.tell(this.#observe, answer.status);
  }
}

// Of several SOAPAction headers the last counts, as recorded; Node joins them.
function lastSoapAction(request: Request): string | undefined {
  const action = request.headers['soapaction'];
  if (typeof action !== 'string' || !action.includes(',')) return action?.toString();
  return request.headersDistinct['soapaction']?.at(-1);
}
