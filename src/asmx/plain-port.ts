import type { NextFunction, Request, RequestHandler, Response } from 'express';

import { hostNotAllowedPage, indexMethods } from './documents/pages/error-page';
import { type Endpoint, Routes } from './endpoint';
import { type ExchangeObserver, OpenExchange } from './exchange';
import { type AllowedHosts, namesTwoHosts } from './http/known-hosts';
import { splitAuthority } from './http/public-address';
import type { HttpResponse } from './http/response';
import { CACHE_ERROR, textHeaders } from './http/response-headers';

interface PlainPortOptions {
  readonly endpoints: readonly Endpoint[];
  /** Address under which callers reach the endpoints, unless it is learnt from requests. */
  readonly publicAddress: string | undefined;
  /** Undefined allows every host name. */
  readonly allowedHosts: AllowedHosts | undefined;
  readonly observe: ExchangeObserver;
}

/**
 * Serves the endpoints' paths on a plain port beside a TLS port: people and proxy generators are redirected,
 * and calls are refused. A redirected call would keep crossing the network unencrypted, unnoticed.
 *
 * @param securePort port number of TLS
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

/** Returns the secure address; undefined if the request names no host to redirect to. */
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
    body: `This port accepts no calls, because it is not encrypted. Nothing was done. Send calls to ${where}\n`,
  };
}

// Not 308, which older stacks do not know; and not cacheable, in case TLS is switched off again.
function sentOn(location: string): HttpResponse {
  return {
    status: 301,
    headers: [...textHeaders('no-store'), 'Location', location],
    body: 'The service speaks TLS.\n',
  };
}
