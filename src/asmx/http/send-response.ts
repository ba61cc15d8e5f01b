import type { ServerResponse } from 'node:http';

import type { HttpResponse } from './response';

/** Largest body that waits for others. */
const MAX_READY_BYTES = 16 * 1024;
/** Maximum number of answers that wait; with the memory in which they were written they use at most 4 MB. */
const MAX_READY = 64;

interface PreparedAnswer {
  readonly response: ServerResponse;
  readonly body: string | Buffer;
  /** Encoding of a text. */
  readonly encoding: BufferEncoding;
  readonly release: (() => void) | undefined;
}

let ready: PreparedAnswer[] = [];
let isTurnOpen = false;

/**
 * Begins to gather answers until the end of the event loop's turn, since more requests may have arrived in
 * it.
 */
export function beginTurn(): void {
  if (isTurnOpen) return;
  isTurnOpen = true;
  setImmediate(endTurn);
}

function endTurn(): void {
  isTurnOpen = false;
  endReady();
}

/**
 * Sends an answer: at the end of a turn in which requests arrive, otherwise at once. Writing the answers of
 * several connections one after the other saves 4 % of a token request's processor time, and 9 % of a code's
 * without a store: the system need not wake a caller on the same machine for each, and the processor runs the
 * same code again. Answers after a commit do not wait: their callers send the next requests meanwhile, which
 * makes the next commit larger.
 */
export function sendResponse(
  response: ServerResponse,
  { status, headers, body, release }: HttpResponse,
): void {
  const length = Buffer.byteLength(body);
  // A 204 has no length (RFC 9110, section 8.6).
  response.writeHead(
    status,
    status === 204 ? [...headers] : headers.concat('Content-Length', String(length)),
  );
  const encoding = length === body.length ? 'latin1' : 'utf8';
  const answer: PreparedAnswer = { response, body, encoding, release };
  if (length > MAX_READY_BYTES) {
    response.end(body, encoding);
    releaseWhenSent(answer);
  } else if (isTurnOpen) {
    ready.push(answer);
    if (ready.length === MAX_READY) endReady();
  } else endShort(answer);
}

function endReady(): void {
  const answers = ready;
  ready = [];
  for (const answer of answers) endShort(answer);
}

/** If the caller has disconnected meanwhile, Node drops the answer. */
function endShort(answer: PreparedAnswer): void {
  const { response, body, encoding } = answer;
  const { socket } = response;
  // A text leaves in one piece with the head, bytes behind it without a copy; `end` alone would add an empty
  // piece.
  socket?.cork();
  response.write(body, encoding);
  socket?.uncork();
  response.end();
  releaseWhenSent(answer);
}

function releaseWhenSent({ response, release }: PreparedAnswer): void {
  if (release === undefined) return;
  // Usually the system takes the whole answer at once; otherwise Node holds the rest until the response is
  // finished.
  if (response.writableFinished) release();
  else response.once('finish', release);
}
