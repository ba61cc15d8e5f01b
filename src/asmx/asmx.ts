import type { NextFunction, Request, RequestHandler, Response } from 'express';

import { Connections } from './connections';
import type { ServiceContract } from './contract/operation';
import { Dispatcher } from './dispatcher';
import { Metadata } from './documents/metadata';
import type { ServerState, ServerText } from './documents/pages/index-page';
import type { TestForm } from './documents/pages/test-form';
import { type EndpointDefinition, openEndpoint, Recognition } from './endpoint';
import type { Authorizer, ExchangeObserver, Fallback, TraceReader } from './exchange';
import { ForeignPages } from './http/foreign-pages';
import { AllowedHosts } from './http/known-hosts';
import type { HttpResponse } from './http/response';
import { type AsmxLimits, type Bound, DEFAULT_LIMITS } from './limits';
import { plainPort } from './plain-port';
import { type LocalClock, localClock } from './types/local-clock';
import type { CharReading } from './types/plain-types';

export interface AsmxOptions {
  readonly endpoints: readonly EndpointDefinition[];
  /** Namespace of the installation, with or without a trailing slash; default: each description's own. */
  readonly namespace?: string | undefined;
  /**
   * Public address (`https://host`, a path prefix allowed), for published documents; default: as requested,
   * with the forwarded headers that the application's "trust proxy" setting believes.
   */
  readonly publicAddress?: string | undefined;
  /** Host names, without ports, under which requests may come; `*.name` for all below one. Default: any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Origins whose pages may have a browser call operations, beside this server's own; `*` for all. Default:
   * none.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Decides who may call what. Default: anyone may call everything. */
  readonly authorizer?: Authorizer | undefined;
  /** Callers that get the form that calls an operation from its page; default `local`, as with ASP.NET. */
  readonly testForm?: TestForm | undefined;
  /** Name and description of the server for the front page; default: the page only lists the services. */
  readonly server?: ServerText | undefined;
  /** Queried for each view of the front page; default: the page does not show the server's state. */
  readonly readiness?: (() => Promise<ServerState>) | undefined;
  readonly limits?: Partial<AsmxLimits> | undefined;
  /** How SOAP char values are read; default `strict`, as ASP.NET does. */
  readonly charReading?: CharReading | undefined;
  /** Clock and time zone that complete dates with missing parts; default: those of the process. */
  readonly clock?: LocalClock | undefined;
  /** Called for every exchange once its answer is written. */
  readonly observe?: ExchangeObserver | undefined;
  /**
   * Reads the trace context of each request as it begins, for handlers and the observer. Default: no tracing.
   */
  readonly trace?: TraceReader | undefined;
  /** Called whenever a limit shared by all callers is hit; callers can trigger it as often as they like. */
  readonly onBound?: ((bound: Bound) => void) | undefined;
}

/** ASMX endpoints, ready to be put into an Express application. */
export interface Asmx {
  /** Serves the endpoints and the list of them; passes everything else to the next handler. */
  readonly middleware: RequestHandler;
  /**
   * Does what the middleware does, but offers a server failure to `fallback` first, which may answer in its
   * place.
   */
  handle(request: Request, response: Response, next: NextFunction, fallback: Fallback): void;
  /**
   * Creates the handler for a plain port beside a TLS port with the given number: it redirects people there
   * and takes no calls.
   */
  readonly plainPort: (securePort: number) => RequestHandler;
  /** Returns true for the usual spelling of an endpoint's own path, which SOAP calls are sent to. */
  readonly isEndpoint: (path: string) => boolean;
  /** Recognizes what requests are for, without serving them. */
  readonly recognition: Recognition;
  readonly services: readonly ServiceContract[];
  readonly limits: AsmxLimits;
  readonly onBound: (bound: Bound) => void;
  /** Must be notified of the server's connections. */
  readonly connections: Connections;
  /** Answers a request that no handler of the application answered, or whose handler failed with an error. */
  answerUnhandled(error: unknown, request: Request, response: Response): void;
  /** Answers a request that Node's parser refuses for its method. */
  refuseMethod(method: string, url: string): HttpResponse;
  /**
   * Reports a request that Node's parser could not read, with the status that it was answered with and the
   * reason.
   */
  noteUnreadable(status: number, reason: string): void;
}

/** @throws ContractError when a description cannot be served or does not fit its handlers */
export async function createAsmx(options: AsmxOptions): Promise<Asmx> {
  const { namespace, charReading = 'strict', clock = localClock() } = options;
  const rules = { charReading, clock };
  const { observe = () => undefined, onBound = () => undefined } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const endpoints = await Promise.all(
    options.endpoints.map((definition) => openEndpoint(definition, { namespace, limits, rules })),
  );
  const { publicAddress, testForm = 'local', server, readiness, allowedHosts, allowedOrigins = [] } = options;
  const connections = new Connections(limits.connections, () => onBound('connections'));
  const names = allowedHosts && new AllowedHosts(allowedHosts);
  const dispatcher = new Dispatcher({
    endpoints,
    limits,
    metadata: new Metadata({ publicAddress, testForm, server, readiness }),
    allowedHosts: names,
    foreignPages: new ForeignPages(allowedOrigins, publicAddress),
    authorizer: options.authorizer,
    observe,
    trace: options.trace,
    onBound,
    connections,
  });
  const paths = new Set(endpoints.map(({ contract }) => contract.path));
  return {
    // Express recognizes an error handler by its four parameters.
    middleware: (request, response, next) => dispatcher.handle(request, response, next),
    handle: dispatcher.handle.bind(dispatcher),
    plainPort: (securePort) =>
      plainPort({ endpoints, publicAddress, allowedHosts: names, observe }, securePort),
    isEndpoint: paths.has.bind(paths),
    recognition: new Recognition(endpoints),
    services: endpoints.map(({ contract }) => contract),
    limits,
    onBound,
    connections,
    answerUnhandled: dispatcher.answerUnhandled.bind(dispatcher),
    refuseMethod: dispatcher.refuseMethod.bind(dispatcher),
    noteUnreadable: dispatcher.noteUnreadable.bind(dispatcher),
  };
}
