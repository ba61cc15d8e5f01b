import type { NextFunction, Request, RequestHandler, Response } from 'express';

import { hostNotAllowedPage, indexMethods } from './documents/pages/error-page';
import { type Endpoint, Routes } from './endpoint';
import { type ExchangeObserver, OpenExchange } from './exchange';
import { type AllowedHosts, namesTwoHosts, splitAuthority } from './http/addresses';
import { CACHE_ERROR, type HttpResponse, textHeaders } from './http/response';

interface PlainPortOptions {
  readonly endpoints: readonly Endpoint[];
  /** Where callers reach the endpoints, if that is not learnt from requests. */
  readonly publicAddress: string | undefined;
  /** Undefined lets every host name in. */
  readonly allowedHosts: AllowedHosts | undefined;
  readonly observe: ExchangeObserver;
}

/**
 * Serves the endpoints' paths on a port without TLS, beside one with it: people and generators of proxies are sent
 * there, while calls are refused. A call that were sent on would cross the network readable for ever, unnoticed.
 *
 * @param securePort where TLS is spoken
 */
export function plainPort(options: PlainPortOptions, securePort: number): RequestHandler {
  const routes = new Routes(options.endpoints);
  return (request: Request, response: Response, next: NextFunction): void => {
    const [path = ''] = request.url.split('?', 1);
    const route = routes.find(path);
    if (route === undefined && path !== '/') {
      next();
      return;
    }
    const exchange = new OpenExchange(request, response, '', options.observe);
    const address = secureAddress(request, options, securePort);
    const asksForPage = request.method === 'GET' || request.method === 'HEAD';
    if (route !== undefined && !('status' in route)) exchange.record.endpoint = route.endpoint.contract.name;
    if (route === undefined && request.method === 'OPTIONS') exchange.respond(indexMethods);
    else if (route !== undefined && 'status' in route) exchange.refuse(route);
    else if (!asksForPage || (route !== undefined && route.pathInfo !== '')) {
      exchange.record.refusal = 'no-tls';
      exchange.refuse(callRefused(address, path));
    } else if (address === undefined) exchange.refuse(hostNotAllowedPage);
    else exchange.refuse(sentOn(`${address}${request.url}`));
  };
}

/** Undefined where the request names no host that a caller may be sent to. */
function secureAddress(
  request: Request,
  { publicAddress, allowedHosts }: PlainPortOptions,
  port: number,
): string | undefined {
  if (publicAddress !== undefined && /^https:/i.test(publicAddress)) return publicAddress;
  const { host = '' } = request.headers;
  if (namesTwoHosts(request) || allowedHosts?.has(host) === false) return undefined;
  const [name] = splitAuthority(host);
  if (!HOST_NAME.test(name)) return undefined;
  return `https://${name}${port === 443 ? '' : `:${String(port)}`}`;
}

const HOST_NAME = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/;

function callRefused(address: string | undefined, path: string): HttpResponse {
  const where = address === undefined ? 'the port that speaks TLS' : `${address}${path}`;
  return {
    status: 403,
    headers: textHeaders(CACHE_ERROR),
    body: `This port takes no calls, since what it is sent can be read on the way. Nothing was done. Send calls to ${where}\n`,
  };
}

// Not 308, which the older stacks do not know; and not to be remembered, should TLS be switched off again.
function sentOn(location: string): HttpResponse {
  return {
    status: 301,
    headers: [...textHeaders('no-store'), 'Location', location],
    body: 'The service speaks TLS.\n',
  };
}
