import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';

import { BodyTooComplex } from '../../delivery';
import type { ReceiptInbox } from './receipt-inbox';
import type { ReceiptCall } from './receipt-reader';

/** Everything under it is answered here, so that no other log sees the secret in an address. */
const PREFIX = '/receipts/';
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Answers the calls by which SMS gateways report what became of SMS, at /receipts/GATEWAY/SECRET. Gateways
 * repeat a call that is not answered with 200. The answer does not depend on the ids in a call.
 */
export function receiptRoute(
  receipts: Pick<ReceiptInbox, 'isUsed' | 'admits' | 'replyTo' | 'take'>,
  logger: Logger,
): RequestHandler {
  return (request, response, next) => {
    if (!receipts.isUsed || !request.url.startsWith(PREFIX)) {
      next();
      return;
    }
    const [path = '', query = ''] = splitOnce(request.url.slice(PREFIX.length), '?');
    const [gateway = '', secret = ''] = splitOnce(path, '/');
    const { method } = request;
    if (!receipts.admits(gateway, secret)) answer(response, 404);
    else if (method !== 'GET' && method !== 'POST') answer(response, 405);
    else {
      void readText(request).then(async (body) => {
        if (body === undefined) {
          answer(response, 413);
          return;
        }
        try {
          const isTaken = await receipts.take(gateway, toCall(request, method, query, body));
          if (isTaken) answer(response, 200, receipts.replyTo(gateway));
          else answer(response, 403);
        } catch (error) {
          if (error instanceof BodyTooComplex) {
            // A gateway that repeats it would be answered the same.
            logger.warn({ gateway }, 'receipts refused, their body is nested too deep or has too many parts');
            answer(response, 400);
            return;
          }
          logger.error({ err: error, gateway }, 'receipts not recorded, the gateway is asked to repeat them');
          answer(response, 503);
        }
      });
    }
  };
}

/** Returns undefined for a body that is too large, or does not arrive whole. */
function readText(request: Request): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= MAX_BODY_BYTES) pieces.push(piece);
      else resolve(undefined);
    });
    request.on('end', () => {
      resolve(Buffer.concat(pieces).toString());
    });
    request.on('close', () => {
      resolve(undefined);
    });
  });
}

function toCall(request: Request, method: ReceiptCall['method'], query: string, body: string): ReceiptCall {
  return {
    method,
    query,
    contentType: (request.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    body,
    header: (name) => request.get(name),
  };
}

function answer(response: Response, status: number, body = ''): void {
  response.status(status).set('Cache-Control', 'no-store');
  if (body === '') response.end();
  else response.type('text').send(body);
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
