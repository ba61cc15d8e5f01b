import type { NextFunction, Request, Response } from 'express';

import { authorizeCall, FOREIGN_PAGE, refuseUnread } from './authorizer';
import { CallRunner } from './call-runner';
import type { Connections } from './connections';
import type { Metadata } from './documents/metadata';
import {
  hostNotAllowedPage,
  indexMethodNotAllowedPage,
  indexMethods,
  methodNotAllowedPage,
  notFoundPage,
  pathTooLongPage,
  queryTooLongPage,
  serverErrorPage,
  tooBusyPage,
  twoHostsPage,
  unrecognizedPage,
} from './documents/pages/error-page';
import { type Endpoint, type Route, Routes } from './endpoint';
import {
  type Authorizer,
  type ExchangeObserver,
  ExchangeRecord,
  type Fallback,
  OpenExchange,
  type TraceReader,
} from './exchange';
import { FormCall, unknownOperation } from './form';
import type { ForeignPages } from './http/foreign-pages';
import { type AllowedHosts, namesTwoHosts } from './http/known-hosts';
import { readPublicAddress } from './http/public-address';
import { originForm } from './http/request-path';
import type { HttpResponse } from './http/response';
import type { AsmxLimits, Bound } from './limits';
import type { UnreadCall } from './served-operation';
import { SoapCall } from './soap/soap-binding';

interface DispatcherOptions {
  readonly endpoints: readonly Endpoint[];
  readonly limits: AsmxLimits;
  readonly metadata: Metadata;
  /** Undefined allows every host name. */
  readonly allowedHosts: AllowedHosts | undefined;
  readonly foreignPages: ForeignPages;
  /** Undefined admits everyone. */
  readonly authorizer: Authorizer | undefined;
  readonly observe: ExchangeObserver;
  /** Undefined without tracing. */
  readonly trace: TraceReader | undefined;
  readonly onBound: (bound: Bound) => void;
  readonly connections: Connections;
}

/** Decides which binding a request is for (wire contract, section 1) and serves it. */
export class Dispatcher {
  readonly #limits: AsmxLimits;
  readonly #metadata: Metadata;
  readonly #allowedHosts: AllowedHosts | undefined;
  readonly #foreignPages: ForeignPages;
  readonly #authorizer: Authorizer | undefined;
  readonly #observe: ExchangeObserver;
  readonly #trace: TraceReader | undefined;
  readonly #connections: Connections;
  readonly #calls: CallRunner;
  readonly #routes: Routes;
  readonly #endpoints: readonly Endpoint[];

  constructor(options: DispatcherOptions) {
    const { endpoints, limits, metadata, allowedHosts, foreignPages, authorizer, observe } = options;
    const { onBound, connections, trace } = options;
    this.#limits = limits;
    this.#metadata = metadata;
    this.#allowedHosts = allowedHosts;
    this.#foreignPages = foreignPages;
    this.#authorizer = authorizer;
    this.#observe = observe;
    this.#trace = trace;
    this.#connections = connections;
    this.#calls = new CallRunner(limits, onBound);
    this.#routes = new Routes(endpoints);
    this.#endpoints = endpoints;
  }

  /**
   * Serves a request for an endpoint or for the list of endpoints; passes any other to `next`.
   *
   * @param fallback may answer in place of a server failure
   */
  handle(request: Request, response: Response, next: NextFunction, fallback?: Fallback): void {
    const { method } = request;
    const url = originForm(request.url);
    const queryStart = url.indexOf('?');
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const query = queryStart < 0 ? '' : url.slice(queryStart + 1);
    const route = this.#routes.find(path);
    if (route === undefined && path !== '/' && !(path === '*' && method === 'OPTIONS')) {
      next();
      return;
    }
    const exchange = new OpenExchange(request, response, query, this.#observe, fallback);
    if (this.#trace !== undefined) exchange.record.trace = this.#trace(request);
    exchange.crossOrigin = this.#foreignPages.readable(request);
    if (namesTwoHosts(request)) exchange.refuse(twoHostsPage);
    else if (this.#isForeign(request)) exchange.respond(hostNotAllowedPage);
    else if (route === undefined) this.#handleIndex(exchange, next);
    else if ('status' in route) exchange.respond(route);
    else if (this.#connections.isReserve(request.socket)) exchange.refuse(tooBusyPage);
    else this.#handleRoute(exchange, route, path.length);
  }

  /**
   * Answers a request whose method Node's parser does not know: it never reaches Express.
   *
   * @param url the request target
   */
  refuseMethod(method: string, url: string): HttpResponse {
    const [path = ''] = url.split('?', 1);
    const response = methodRefusal(this.#routes.find(path), path);
    new ExchangeRecord(method, this.#observe).end(response.status, response.reason);
    return response;
  }

  /**
   * Reports a request that Node's parser could not read, with the status that it was answered with and the
   * reason.
   */
  noteUnreadable(status: number, reason: string): void {
    new ExchangeRecord('', this.#observe).end(status, reason);
  }

  /** Answers an unhandled or failed request with an error page that reveals nothing of the error. */
  answerUnhandled(error: unknown, request: Request, response: Response): void {
    const exchange = new OpenExchange(request, response, '', this.#observe);
    if (error === undefined || error === null) exchange.respond(notFoundPage(request.url));
    else exchange.fail(error, serverErrorPage);
  }

  #isForeign(request: Request): boolean {
    return this.#allowedHosts !== undefined && !this.#allowedHosts.has(readPublicAddress(request).authority);
  }

  #handleIndex(exchange: OpenExchange, next: NextFunction): void {
    const { method } = exchange.request;
    exchange.record.binding = 'page';
    if (method === 'OPTIONS') {
      exchange.respond(indexMethods);
      return;
    }
    if (method !== 'GET' && method !== 'HEAD') {
      exchange.respond(indexMethodNotAllowedPage);
      return;
    }
    this.#metadata.index(this.#endpoints, exchange.request).then((page) => exchange.respond(page), next);
  }

  #handleRoute(exchange: OpenExchange, route: Route, pathLength: number): void {
    exchange.record.endpoint = route.endpoint.contract.name;
    const preflight = this.#foreignPages.preflight(exchange.request);
    if (preflight !== undefined) {
      exchange.respond({ status: 204, headers: preflight, body: '' });
    } else if (exchange.query.length > this.#limits.queryCharacters) exchange.respond(queryTooLongPage);
    else if (pathLength > this.#limits.pathCharacters) exchange.respond(pathTooLongPage);
    else if (route.pathInfo === '') this.#handleEndpoint(exchange, route);
    else this.#handleOperation(exchange, route);
  }

  #handleEndpoint(exchange: OpenExchange, { endpoint, path }: Route): void {
    const { request, query } = exchange;
    if (request.method === 'POST') {
      this.#enter(exchange, new SoapCall(endpoint.soap, request));
    } else if (request.method === 'GET') {
      const { kind, response } = this.#metadata.respond(endpoint, request, path, query);
      exchange.record.binding = kind;
      exchange.respond(response);
    } else exchange.respond(methodNotAllowedPage);
  }

  #handleOperation(exchange: OpenExchange, { endpoint, pathInfo, operation }: Route): void {
    const { request, query } = exchange;
    const name = pathInfo.slice(1);
    const binding = request.method === 'GET' ? 'get' : request.method === 'POST' ? 'post' : undefined;
    // A binding without any operation at this endpoint is switched off, as in ASP.NET.
    const isClosed = binding === undefined || !endpoint.bindings.has(binding);
    // ASP.NET routes the two script proxies to a handler that these services do not have.
    if (isClosed || name === '' || name === 'js' || name === 'jsdebug') {
      exchange.respond(unrecognizedPage(pathInfo));
      return;
    }
    exchange.record.binding = binding;
    if (operation?.contract.bindings.has(binding) !== true) {
      const offered = endpoint.contract.operations.filter(({ bindings }) => bindings.has(binding));
      exchange.respond(unknownOperation(name, offered));
      return;
    }
    this.#enter(exchange, new FormCall(operation, binding, query, request.headers['content-type']));
  }

  /** Runs a call if its caller may make it, judging by its head. */
  #enter(exchange: OpenExchange, call: UnreadCall): void {
    if (this.#foreignPages.sent(exchange.request)) refuseUnread(exchange, FOREIGN_PAGE, call.attempt());
    else if (this.#authorizer === undefined) this.#calls.run(exchange, call);
    else {
      authorizeCall(this.#authorizer, exchange, call.attempt(), () => this.#calls.run(exchange, call));
    }
  }
}

function methodRefusal(route: Route | HttpResponse | undefined, path: string): HttpResponse {
  if (route === undefined) return notFoundPage(path);
  if ('status' in route) return route;
  return route.pathInfo === '' ? methodNotAllowedPage : unrecognizedPage(route.pathInfo);
}
