import { createServer } from 'node:http';

import { endServer, exchange, listen } from '../../../../scripts/harness';
import type { HttpAnswer } from '../../../../src/features/migration/messages';
import { answerOver } from './wire';

/** A server that stands before another and changes its answers. */
export interface MutatingProxy {
  readonly port: number;
  /** How the next answers are changed, by target and body of the request. */
  mutate: (answer: HttpAnswer, target: string, body: Buffer) => HttpAnswer;
  close(): Promise<void>;
}

/** Starts one before the server of a port. */
export async function startMutatingProxy(target: number): Promise<MutatingProxy> {
  const proxy: Pick<MutatingProxy, 'mutate'> = { mutate: (answer) => answer };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = pairs(request.rawHeaders).filter(
        ([name]) => !/^(?:connection|content-length)$/i.test(name),
      );
      const { method = 'GET', url = '/' } = request;
      const body = Buffer.concat(chunks);
      void exchange(target, { method, path: url, headers, ...(body.length > 0 && { body }) }).then((raw) => {
        const answer = proxy.mutate(answerOver(raw), url, body);
        const kept = answer.headers.filter(([name]) => !/^(?:connection|content-length)$/i.test(name));
        const length = ['Content-Length', String(answer.body.length)] as const;
        response.writeHead(answer.status, [...kept, length].flat());
        response.end(answer.body);
      });
    });
  });
  return Object.assign(proxy, { port: await listen(server), close: () => endServer(server) });
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
