import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer';

// A sender in the middle of its body reads the answer only if the connection stays whole for a moment.
const LINGER_MS = 1000;

/**
 * Answers a request whose body is not read to its end, and closes the connection. What still arrives is
 * dropped for a moment, so that the answer is not lost to a connection reset.
 */
export function refuseBody(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, [
    ...answer.headers,
    'Content-Length',
    String(Buffer.byteLength(answer.body)),
    'Connection',
    'close',
  ]);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  response.write(answer.body);
  request.once('end', end);
  request.once('close', end);
  request.resume();
}
