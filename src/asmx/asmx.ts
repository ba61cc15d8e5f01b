import type { ErrorRequestHandler, RequestHandler } from 'express';
import { sendAnswer, type Answer } from './answer';
import type { CharReading } from './char-parameter';
import { Dispatcher } from './dispatcher';
import { openEndpoint, type EndpointDefinition } from './endpoint';
import { EnvelopeReader } from './envelope-reader';
import { serverErrorPage } from './error-page';
import type { ExchangeObserver } from './exchange';
import { DEFAULT_LIMITS, type AsmxLimits } from './limits';
import type { ServiceContract } from './service-contract';
import { DOCUMENT_NAMESPACE } from './service-description';

export interface AsmxOptions {
  readonly endpoints: readonly EndpointDefinition[];
  /** Namespace of the installation, with or without a trailing slash; default `http://tempuri.org/`. */
  readonly namespace?: string | undefined;
  /** Public address without a path (`https://host`), for published documents; default: as requested. */
  readonly publicAddress?: string | undefined;
  readonly limits?: Partial<AsmxLimits> | undefined;
  /** How SOAP char values are read; default `strict`, as ASP.NET does. */
  readonly charReading?: CharReading | undefined;
  /** Told of every exchange when its answer is written. */
  readonly observe?: ExchangeObserver | undefined;
}

/** ASMX endpoints, ready to be put into an Express application. */
export interface Asmx {
  /** Serves the endpoints and the list of them; everything else goes on. */
  readonly middleware: RequestHandler;
  /** The last handler of an application: a page that says so. */
  readonly notFound: RequestHandler;
  /** The last error handler of an application: a page that tells nothing. */
  readonly failed: ErrorRequestHandler;
  readonly services: readonly ServiceContract[];
  readonly limits: AsmxLimits;
  /** Answers a request that Node's parser refuses for its method. */
  refuseMethod(method: string, url: string): Answer;
}

/**
 * Opens the endpoints.
 *
 * @throws ContractError when a description cannot be served or does not fit its handlers
 */
export async function createAsmx(options: AsmxOptions): Promise<Asmx> {
  const { namespace = DOCUMENT_NAMESPACE, charReading = 'strict', observe = () => undefined } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const reader = new EnvelopeReader(namespace, limits, charReading);
  const endpoints = await Promise.all(
    options.endpoints.map((definition) => openEndpoint(definition, namespace, reader)),
  );
  const dispatcher = new Dispatcher({ endpoints, limits, publicAddress: options.publicAddress, observe });
  return {
    middleware: dispatcher.handle.bind(dispatcher),
    notFound: dispatcher.notFound.bind(dispatcher),
    failed: (error, _request, response, next) => {
      if (response.headersSent) next(error);
      else sendAnswer(response, serverErrorPage);
    },
    services: endpoints.map(({ contract }) => contract),
    limits,
    refuseMethod: dispatcher.refuseMethod.bind(dispatcher),
  };
}
