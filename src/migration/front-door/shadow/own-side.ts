import { request as ask, type IncomingMessage, type Server } from 'node:http';
import { duplexPair } from 'node:stream';

import { type Header, type HttpAnswer, type HttpRequest, pairsOf } from '../../messages';

/** Why there is no answer of ours. */
export type OwnFailure = 'late' | 'too_large' | 'failed';

export interface OwnSideOptions {
  /** Answers as this service would, and listens to nobody. */
  readonly server: Server;
  readonly timeoutMs: number;
  /** Longest answer that is taken. */
  readonly mostBytes: number;
}

/**
 * What this service would answer. It is asked over connections in memory: nobody else can reach it there, and what it
 * is asked and answers goes through the same code as over any other connection.
 */
export class OwnSide {
  readonly #options: OwnSideOptions;

  constructor(options: OwnSideOptions) {
    this.#options = options;
  }

  /** @param remoteAddress of the caller */
  ask(
    { method, target, headers, body }: HttpRequest,
    remoteAddress: string | undefined,
  ): Promise<HttpAnswer | OwnFailure> {
    const { server, timeoutMs, mostBytes } = this.#options;
    const [ours, theirs] = duplexPair();
    // Whoever asks a connection where it comes from.
    server.emit('connection', Object.assign(theirs, { remoteAddress }));
    return new Promise((resolve) => {
      const length: readonly Header[] = body.length > 0 ? [['Content-Length', String(body.length)]] : [];
      const end = (outcome: HttpAnswer | OwnFailure): void => {
        clearTimeout(late);
        ours.destroy();
        theirs.destroy();
        resolve(outcome);
      };
      // The two ends of such a connection do not tell each other when one breaks off.
      theirs.once('close', () => {
        if (!theirs.writableFinished) end('failed');
      });
      const late = setTimeout(end, timeoutMs, 'late');
      const asked = ask({
        createConnection: () => ours,
        method,
        path: target,
        headers: [...headers, ...length].flat(),
      });
      asked.on('error', () => {
        end('failed');
      });
      asked.on('response', (response) => {
        readAnswer(response, mostBytes, end);
      });
      asked.end(body);
    });
  }
}

function readAnswer(
  response: IncomingMessage,
  mostBytes: number,
  end: (outcome: HttpAnswer | OwnFailure) => void,
): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > mostBytes) end('too_large');
  });
  response.on('error', () => {
    end('failed');
  });
  response.on('end', () => {
    const { statusCode: status = 0, rawHeaders } = response;
    end({ status, headers: pairsOf(rawHeaders), body: Buffer.concat(pieces) });
  });
}
