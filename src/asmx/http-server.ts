import {
  createServer,
  IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsOptions, TLSSocket } from 'node:tls';

import type { Express, Request, RequestHandler, Response } from 'express';

import type { Asmx } from './asmx';
import { errorPage } from './documents/pages/error-page';
import { MAX_DROPPED_BYTES, refuseBody } from './http/refuse-body';
import type { HttpResponse } from './http/response';
import { beginTurn } from './http/send-response';
import {
  createTurnResponse,
  hasBegunAnswer,
  isAnswering,
  type PipelinedResponse,
  whenAnswered,
} from './pipelining';
import { WriteBacklog } from './write-backlog';

/** Time limits of a connection, in milliseconds. */
export interface HttpTimeouts {
  /** For the request's head, from its first byte; with TLS also for the handshake before it. */
  readonly headersMs: number;
  /** For the whole request, body included. */
  readonly requestMs: number;
  /** Time that an idle connection is kept open for the next request. */
  readonly keepAliveMs: number;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = {
  headersMs: 20_000,
  requestMs: 60_000,
  keepAliveMs: 72_000, // longer than the 60 s of common load balancers, which must be the first to close
};

interface HttpServerOptions {
  readonly timeouts?: Partial<HttpTimeouts> | undefined;
  /** With TLS options, the server is one of node:https; default: plain HTTP. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Serves the SOAP calls of an endpoint before the application sees them, since Express's router costs as
   * much as reading the call; passes everything else on. It cannot use what Express adds to each request,
   * such as `request.res`. Default: the application serves all.
   */
  readonly soap?: RequestHandler | undefined;
}

/** Prototypes that Express sets on requests and responses; its typings leave them out. */
interface Prototypes {
  readonly request: object;
  readonly response: object;
}

/**
 * Creates the HTTP server of an application, which also answers requests that the application does not.
 *
 * Express sets the prototype of every request and response object, and the engine then gives each object a
 * shape of its own: a token over HTTP GET would cost four times its processor time. Objects created with the
 * application's prototypes avoid that.
 */
export function createHttpServer(
  app: Express,
  asmx: Asmx,
  { timeouts, tls, soap }: HttpServerOptions = {},
): Server {
  const { headersMs, requestMs, keepAliveMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  class AppRequest extends IncomingMessage {}
  const backlog = new WriteBacklog(asmx.limits, () => asmx.onBound('unsent'));
  const AppResponse = createTurnResponse(backlog);
  const prototypes = app as unknown as Prototypes;
  adopt(AppRequest.prototype, prototypes.request, app, 'request');
  adopt(AppResponse.prototype, prototypes.response, app, 'response');
  const { listener, onParserError } = requestListener(asmx, (request, response) => {
    serve(app, asmx, soap, request, response);
  });
  const options = {
    IncomingMessage: AppRequest,
    ServerResponse: AppResponse,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, headersMs),
  };
  const server =
    tls === undefined
      ? createServer(options, listener)
      : // What a server of plain HTTP has unasked.
        createTlsServer({ ...options, noDelay: true, ...tls, handshakeTimeout: headersMs }, listener);
  // A caller that has sent its last request may close its side of the connection and still read answers. The
  // typings leave it out; by default Node closes the other side, too, and drops the answers that are not
  // written yet.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Without this listener Node sends 100 Continue at once; the body's reader sends it only if it accepts the
  // body.
  server.on('checkContinue', listener);
  // Without this listener Node answers any other expectation with 417; ASP.NET ignores it.
  server.on('checkExpectation', listener);
  server.on('connection', (socket: Socket) => asmx.connections.add(socket, tls !== undefined));
  server.on('secureConnection', (socket: TLSSocket) => asmx.connections.secured(socket));
  // After a failed handshake no answer can be sent, which Node's own listener would try.
  server.removeAllListeners('tlsClientError').on('tlsClientError', (_error, socket: TLSSocket) => {
    socket.destroy();
  });
  server.on('error', () => {
    // A failure to listen is reported by the code that started the server.
    if (server.listening) asmx.onBound('descriptors');
  });
  server.on('clientError', onParserError);
  return server;
}

type AnswerRequest = (request: IncomingMessage, response: PipelinedResponse) => void;

/** Answers a request, first by the handler of SOAP calls if it is one. */
function serve(
  app: Express,
  asmx: Asmx,
  soap: RequestHandler | undefined,
  req: IncomingMessage,
  res: PipelinedResponse,
): void {
  // A caller alone would only pay for the turn's end.
  if (asmx.connections.hasSeveral) beginTurn();
  // The objects are created with the application's prototypes.
  const request = req as Request;
  const response = res as unknown as Response;
  if (asmx.connections.isReserve(req.socket)) res.shouldKeepAlive = false;
  boundUnread(req, res);
  // Without a final handler, Express creates one for each request.
  const end = (error?: unknown): void => asmx.answerUnhandled(error, request, response);
  if (soap === undefined || request.method !== 'POST' || !asmx.isEndpoint(request.url))
    app(request, response, end);
  else {
    handleBefore(soap, request, response, end, () => {
      app(request, response, end);
    });
  }
}

/** Returns the listener that answers requests in their turn and refuses what the parser rejects. */
function requestListener(asmx: Asmx, answer: AnswerRequest) {
  /** Refuses a transfer coding such as compression, which no handler would notice (RFC 9112, section 6.1). */
  const refuseCoding = (request: IncomingMessage, response: PipelinedResponse): void => {
    boundUnread(request, response);
    asmx.noteUnreadable(OTHER_CODING.status, OTHER_CODING.reason);
    refuseBody(request, response, OTHER_CODING);
  };
  const inTurn = (request: IncomingMessage, response: PipelinedResponse, answer: AnswerRequest): void => {
    if (response.isItsTurn) answer(request, response);
    else {
      response.whenItsTurn(() => answer(request, response));
    }
  };
  /**
   * Connections on which the parser rejects a request's body right after its head, so that the request is
   * never served.
   */
  const unserved = new WeakSet<Duplex>();
  const refused = new WeakSet<Duplex>();
  const listener = (request: IncomingMessage, response: PipelinedResponse): void => {
    if (!hasOtherCoding(request)) {
      inTurn(request, response, answer);
      return;
    }
    unserved.add(request.socket);
    // By then the parser has reported whether it can find the end of the body.
    process.nextTick(() => {
      if (refused.has(request.socket)) return;
      unserved.delete(request.socket);
      inTurn(request, response, refuseCoding);
    });
  };
  return {
    listener,
    onParserError: (error: ParserError, socket: Duplex): void => {
      refused.add(socket);
      respondToClientError(asmx, error, socket, unserved.has(socket));
    },
  };
}

/** Calls a handler as Express's router would: whatever it throws or rejects with is an error. */
function handleBefore(
  handler: RequestHandler,
  request: Request,
  response: Response,
  fail: (error: unknown) => void,
  goOn: () => void,
): void {
  try {
    const handled: unknown = handler(request, response, (error?: unknown) => {
      if (error === undefined) goOn();
      else fail(error);
    });
    if (handled instanceof Promise) handled.catch(fail);
  } catch (error) {
    fail(error);
  }
}

const OTHER_CODING = {
  ...errorPage(501, 'This server supports no transfer coding except chunked.'),
  reason: 'The body has a transfer coding other than chunked.',
};

/** Returns true for a body with a transfer coding other than a single `chunked`. */
function hasOtherCoding({ headers: { 'transfer-encoding': coding } }: IncomingMessage): boolean {
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
}

/**
 * Limits how much of an unread body Node reads and drops after the answer: otherwise it reads whatever
 * arrives within the request's time limit.
 */
export function boundUnread(request: IncomingMessage, response: ServerResponse): void {
  const { 'transfer-encoding': coding, 'content-length': length = 0 } = request.headers;
  if (coding === undefined && Number(length) <= MAX_DROPPED_BYTES) return;
  response.once('finish', () => {
    const { socket } = request;
    const most = socket.bytesRead + MAX_DROPPED_BYTES;
    const timer = setInterval(() => {
      const isTooMuch = socket.bytesRead > most;
      if (request.complete || socket.destroyed || isTooMuch) clearInterval(timer);
      if (isTooMuch && !request.complete) socket.destroy();
    }, LOOK_INTERVAL_MS).unref();
  });
}

/** A fast sender reaches 600 MB/s. */
const LOOK_INTERVAL_MS = 10;

function adopt(prototype: object, parent: object, app: Express, key: keyof Prototypes): void {
  Object.setPrototypeOf(prototype, parent);
  Object.assign(app, { [key]: prototype });
}

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

function respondToClientError(asmx: Asmx, error: ParserError, socket: Duplex, isUnserved: boolean): void {
  // Earlier requests are answered first: the caller takes the first answer as that of its first request.
  socket.pause();
  whenAnswered(socket, () => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    // A request that was refused before its end, and cannot be read to it, has its answer.
    if (hasBegunAnswer(socket)) socket.end();
    else socket.end(writeRaw(refusedMethod(asmx, error) ?? refusedBytes(asmx, error, socket, isUnserved)));
    // A sender that never stops would keep the connection half open.
    socket.once('finish', () => {
      socket.destroy();
    });
  });
}

const REQUEST_LINE = /^(\S+) (\S+) HTTP\/1\.[01]\r\n/;

// The parser rejects unknown methods, including `get` in lower case; ASP.NET has pages for them.
function refusedMethod(asmx: Asmx, error: ParserError): HttpResponse | undefined {
  if (error.code !== 'HPE_INVALID_METHOD' || error.rawPacket === undefined) return undefined;
  const [, method = '', target = ''] = REQUEST_LINE.exec(error.rawPacket.toString('latin1', 0, 8192)) ?? [];
  return method === '' || METHODS.includes(method) ? undefined : asmx.refuseMethod(method, target);
}

function refusedBytes(asmx: Asmx, error: ParserError, socket: Duplex, isUnserved: boolean): HttpResponse {
  const status = STATUS_BY_CODE[String(error.code)] ?? 400;
  // A request whose body is at fault is reported by its own exchange; and without any bytes there was no
  // request.
  const isOwn = isUnserved || !isAnswering(socket);
  const isRequest = isOwn && !('bytesRead' in socket && socket.bytesRead === 0);
  if (isRequest) asmx.noteUnreadable(status, unreadableReason(error));
  return errorPage(status, STATUS_CODES[status] ?? '');
}

function writeRaw({ status, headers, body }: HttpResponse): Buffer {
  let head = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`;
  headers.forEach((text, index) => {
    head += index % 2 === 0 ? `${text}: ` : `${text}\r\n`;
  });
  head += `Date: ${new Date().toUTCString()}\r\n`;
  head += `Content-Length: ${String(Buffer.byteLength(body))}\r\nConnection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** Error of Node's parser for a request that it rejects. */
type ParserError = NodeJS.ErrnoException & {
  readonly rawPacket?: Buffer;
  /** Offset in the packet at which the parser stopped. */
  readonly bytesParsed?: number;
};

const NOT_HTTP = 'The request is not HTTP.';

/**
 * Returns why a request could not be read, for the log: IIS accepts some requests that Node's parser rejects,
 * and an operator who migrates from IIS must be able to find them. The texts are fixed and quote nothing from
 * the request.
 */
function unreadableReason(error: ParserError): string {
  const { code = '', rawPacket = NO_BYTES, bytesParsed = 0 } = error;
  return REASONS[code]?.(rawPacket, bytesParsed) ?? NOT_HTTP;
}

const NO_BYTES = Buffer.alloc(0);

type Reason = (packet: Buffer, stoppedAt: number) => string | undefined;

const REASONS: Readonly<Record<string, Reason>> = {
  HPE_INVALID_URL: rawBytes,
  HPE_INVALID_HEADER_TOKEN: foldedHeader,
  HPE_INVALID_TRANSFER_ENCODING: identityCoding,
  HPE_INVALID_CONTENT_LENGTH: identityCoding,
};

/**
 * Finds raw non-ASCII bytes, which old browsers, VB6 and hand-written clients send; http.sys and ASP.NET read
 * them as UTF-8.
 */
function rawBytes(packet: Buffer, stoppedAt: number): string | undefined {
  if ((packet[stoppedAt] ?? 0) < 0x80) return undefined;
  const line = packet.subarray(packet.lastIndexOf('\n', stoppedAt) + 1, stoppedAt);
  return line.includes('?')
    ? 'The query contains raw non-ASCII bytes.'
    : 'The path contains raw non-ASCII bytes.';
}

/** Finds a folded header, as Java 6 to 8 write long ones (RFC 9112, section 5.2). */
function foldedHeader(packet: Buffer, stoppedAt: number): string | undefined {
  const isBlank = packet[stoppedAt] === 0x20 || packet[stoppedAt] === 0x09;
  const isLineStart = stoppedAt === 0 || packet[stoppedAt - 1] === 0x0a;
  return isBlank && isLineStart ? 'A header is folded over two lines.' : undefined;
}

/** Finds the transfer coding `identity`, which RFC 2616 had and RFC 9112 no longer has. */
function identityCoding(packet: Buffer): string | undefined {
  const isIdentity = /^transfer-encoding:[ \t]*identity[ \t]*$/im.test(packet.toString('latin1', 0, 16_384));
  return isIdentity ? 'The request has Transfer-Encoding: identity.' : undefined;
}
