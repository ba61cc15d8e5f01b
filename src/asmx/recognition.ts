import type { Request } from 'express';

import type { AttemptedCall } from './contract';
import { originForm } from './http';
import type { Endpoint } from './endpoint';
import { type Route, Routes } from './routes';
import { readSoapHead } from './soap';

/** What a request is for: a call, what is no call of an endpoint (its description, its pages), or neither. */
export type Sought = AttemptedCall | 'document' | undefined;

/** Tells what requests are for without serving them: for whoever passes them on. */
export class Recognition {
  readonly #routes: Routes;

  constructor(endpoints: readonly Endpoint[]) {
    this.#routes = new Routes(endpoints);
  }

  /** As far as the head tells. */
  byHead(request: Request): Sought {
    const route = this.#routeOf(request);
    if (route === undefined) return pathOf(request) === '/' ? 'document' : undefined;
    const { method } = request;
    if (route.pathInfo === '') {
      return method === 'POST' ? route.endpoint.soap.attempt(readSoapHead(request)) : 'document';
    }
    const binding = method === 'GET' ? 'get' : method === 'POST' ? 'post' : undefined;
    const operation = route.operation?.contract;
    if (binding === undefined || operation?.bindings.has(binding) !== true) return 'document';
    return { operation: operation.name, bindings: [binding] };
  }

  /** Of a call over SOAP whose body is there, but whose head does not name the operation. */
  byBody(request: Request, body: Buffer): AttemptedCall {
    const head = readSoapHead(request);
    const soap = this.#routeOf(request)?.endpoint.soap;
    const read = soap?.read(head, body);
    if (read !== undefined && 'invocation' in read) {
      const { operation, binding } = read.invocation;
      return { operation: operation.contract.name, bindings: [binding] };
    }
    return { operation: undefined, bindings: soap?.attempt(head).bindings ?? ['soap11'] };
  }

  #routeOf(request: Request): Route | undefined {
    const route = this.#routes.find(pathOf(request));
    return route === undefined || 'status' in route ? undefined : route;
  }
}

function pathOf(request: Request): string {
  const url = originForm(request.url);
  const queryStart = url.indexOf('?');
  return queryStart < 0 ? url : url.slice(0, queryStart);
}
