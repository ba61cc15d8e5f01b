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
import type { Express, Request, Response } from 'express';
import { type HttpResponse, MAX_DROPPED_BYTES, refuseBody } from './http/response';
import type { Asmx } from './asmx';
import { errorPage } from './documents/pages/error-page';
import { createTurnResponse, isAnswering, type TurnResponse, whenAnswered } from './pipelining';
import { type ParserError, unreadableReason } from './unreadable';
import { Unsent } from './write-backlog';

/** How long a connection may take; all in milliseconds. */
export interface HttpTimeouts {
  /** For the request's head, from the first byte; with TLS also for the handshake before. */
  readonly headersMs: number;
  /** For the whole request, body included. */
  readonly requestMs: number;
  /** How long an idle connection is kept for the next request. */
  readonly keepAliveMs: number;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = {
  headersMs: 20_000,
  requestMs: 60_000,
  keepAliveMs: 72_000, // longer than the 60 s of common load balancers, which must be the first to close
};

/** What Express gives a prototype chain to; its typings leave the objects out. */
interface Prototypes {
  readonly request: object;
  readonly response: object;
}

/**
 * Creates the HTTP server of an application, which answers itself what the application does not.
 *
 * Express sets the prototype of every request and response object, which costs more than all its routing: the
 * engine then treats each object as one of a kind. Objects that are born with the application's prototypes
 * give it nothing to do.
 *
 * @param tls how TLS is spoken; undefined for plain HTTP. The server then is one of node:https
 */
export function createHttpServer(
  app: Express,
  asmx: Asmx,
  timeouts: Partial<HttpTimeouts> = {},
  tls?: TlsOptions,
): Server {
  const { headersMs, requestMs, keepAliveMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  class AppRequest extends IncomingMessage {}
  const unsent = new Unsent(asmx.limits, () => {
    asmx.onBound('unsent');
  });
  const AppResponse = createTurnResponse(unsent);
  const prototypes = app as unknown as Prototypes;
  adopt(AppRequest.prototype, prototypes.request, app, 'request');
  adopt(AppResponse.prototype, prototypes.response, app, 'response');
  const serve = (req: IncomingMessage, res: TurnResponse): void => {
    // They are born with the application's prototypes.
    const request = req as Request;
    const response = res as unknown as Response;
    if (asmx.connections.isReserve(req.socket)) res.shouldKeepAlive = false;
    boundUnread(req, res);
    // Without a last handler of ours, Express makes one of its own for each request.
    app(request, response, (error?: unknown) => {
      asmx.answerUnhandled(error, request, response);
    });
  };
  /** Its bytes are compressed, say, and no handler would know (RFC 9112, section 6.1). */
  const refuseCoding = (request: IncomingMessage, response: TurnResponse): void => {
    boundUnread(request, response);
    asmx.noteUnreadable(OTHER_CODING.status, OTHER_CODING.reason);
    refuseBody(request, response, OTHER_CODING);
  };
  const inTurn = (request: IncomingMessage, response: TurnResponse, answer: typeof serve): void => {
    if (response.isItsTurn) answer(request, response);
    else {
      response.whenItsTurn(() => {
        answer(request, response);
      });
    }
  };
  /** Connections on which the parser refuses a request's body right after its head, so that the request is never served. */
  const unserved = new WeakSet<Duplex>();
  const refused = new WeakSet<Duplex>();
  const listener = (request: IncomingMessage, response: TurnResponse): void => {
    if (!hasOtherCoding(request)) {
      inTurn(request, response, serve);
      return;
    }
    unserved.add(request.socket);
    // By then the parser has said whether it can tell where the body ends.
    process.nextTick(() => {
      if (refused.has(request.socket)) return;
      unserved.delete(request.socket);
      inTurn(request, response, refuseCoding);
    });
  };
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
  // Without this listener Node sends 100 Continue at once; here the reader of the body does, if it takes the body.
  server.on('checkContinue', listener);
  // Without this one it answers any other expectation with 417; ASP.NET ignores it.
  server.on('checkExpectation', listener);
  server.on('connection', (socket: Socket) => {
    asmx.connections.add(socket, tls !== undefined);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    asmx.connections.secured(socket);
  });
  // Where TLS failed there is nothing to write an answer over, which is what Node's own listener would have done.
  server.removeAllListeners('tlsClientError').on('tlsClientError', (_error, socket: TLSSocket) => {
    socket.destroy();
  });
  server.on('error', () => {
    // One that cannot listen is its starter's to report.
    if (server.listening) asmx.onBound('descriptors');
  });
  server.on('clientError', (error: ParserError, socket) => {
    refused.add(socket);
    respondToClientError(asmx, error, socket, unserved.has(socket));
  });
  return server;
}

const OTHER_CODING = {
  ...errorPage(501, 'This server knows no transfer coding but chunked.'),
  reason: 'The body has another transfer coding than chunked.',
};

/** Whether a body has another transfer coding than chunked, or more than that one. */
function hasOtherCoding({ headers: { 'transfer-encoding': coding } }: IncomingMessage): boolean {
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
}

/**
 * Limits how much of an unread body Node reads and drops after the request is answered: without it, as much as arrives
 * within the time limit of a request.
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

/** A fast sender is at 600 MB a second. */
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
  // What came before is answered first: the caller takes the first answer for that of its first request.
  socket.pause();
  whenAnswered(socket, () => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(writeRaw(refusedMethod(asmx, error) ?? refusedBytes(asmx, error, socket, isUnserved)));
    // A sender that never stops would keep the connection half open.
    socket.once('finish', () => {
      socket.destroy();
    });
  });
}

const REQUEST_LINE = /^(\S+) (\S+) HTTP\/1\.[01]\r\n/;

// The parser refuses methods it does not know, `get` in lower case among them; ASP.NET has pages for them.
function refusedMethod(asmx: Asmx, error: ParserError): HttpResponse | undefined {
  if (error.code !== 'HPE_INVALID_METHOD' || error.rawPacket === undefined) return undefined;
  const [, method = '', target = ''] = REQUEST_LINE.exec(error.rawPacket.toString('latin1', 0, 8192)) ?? [];
  return method === '' || METHODS.includes(method) ? undefined : asmx.refuseMethod(method, target);
}

function refusedBytes(asmx: Asmx, error: ParserError, socket: Duplex, isUnserved: boolean): HttpResponse {
  const status = STATUS_BY_CODE[String(error.code)] ?? 400;
  // Whose body it is tells of itself; and where nothing came, there was no request.
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
  head += `Date: ${new Date().toUTCString()}\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\nConnection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}
