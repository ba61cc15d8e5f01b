import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HttpResponse } from './response';

// A caller still sending its body reads the answer only if the connection stays open for a moment.
const LINGER_MS = 1000;
/** Maximum amount read and dropped meanwhile: an endless fast sender could send hundreds of MB. */
export const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

/**
 * Answers a request without reading its body to the end, and closes the connection. Data that still arrives
 * is dropped for a moment, so that no connection reset destroys the answer.
 */
export function refuseBody(request: IncomingMessage, response: ServerResponse, answer: HttpResponse): void {
  response.writeHead(answer.status, [
    ...answer.headers,
    'Content-Length',
    String(Buffer.byteLength(answer.body)),
    'Connection',
    'close',
  ]);
  let dropped = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', drop);
    response.end();
  };
  const drop = (piece: Buffer): void => {
    dropped += piece.length;
    if (dropped <= MAX_DROPPED_BYTES) return;
    request.pause();
    end();
  };
  const timer = setTimeout(end, LINGER_MS);
  response.write(answer.body);
  request.once('end', end);
  request.once('close', end);
  request.on('data', drop);
  request.resume();
}
