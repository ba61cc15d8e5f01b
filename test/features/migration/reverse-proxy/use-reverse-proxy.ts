import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { join } from 'node:path';

import express from 'express';

import { endServer, listen } from '../../../../scripts/harness';
import { type Asmx, type AsmxOptions, createAsmx, createHttpServer } from '../../../../src/asmx';
import type { ForwardedCall } from '../../../../src/features/migration/reverse-proxy/forwarding-report';
import {
  ReverseProxy,
  type ReverseProxyOptions,
} from '../../../../src/features/migration/reverse-proxy/reverse-proxy';
import { Recorder } from '../../../../src/features/migration/reverse-proxy/recorder';
import { REFERENCE_ENDPOINTS } from '../../../reference/endpoints';
import { useFolder } from '../../../harness/use-folder';

/** Describes what one exchange through the proxy came to. */
export interface Passed extends ForwardedCall {
  readonly outcome: string;
  readonly status: number;
  readonly error: string | undefined;
}

export interface StartedProxy {
  readonly port: number;
  readonly proxy: ReverseProxy;
  readonly asmx: Asmx;
  /** Holds what was passed on, in the order in which it ended. */
  readonly passed: readonly Passed[];
  /** Waits until so many were passed on. */
  untilPassed(count: number): Promise<readonly Passed[]>;
  close(): Promise<void>;
}

export interface ProxySettings extends Partial<Omit<ReverseProxyOptions, 'oldUrl'>> {
  /** Port of the old server on this machine, or its URL. */
  readonly old: number | string;
  readonly asmx?: Partial<AsmxOptions>;
  readonly trustProxy?: number;
}

export const OPERATIONS = [
  { name: 'AuthCode', sends: true },
  { name: 'SendMarkNotes', sends: true },
  { name: 'GetTokenDevice', sends: false },
  { name: 'GetStudentSchool', sends: false },
  { name: 'GetExamTableByExamId', sends: false },
  { name: 'GetStudentsNoteType', sends: false },
].map((each) => ({ ...each, bindings: ['soap11', 'soap12', 'get', 'post'] as const }));

/** A reverse proxy on a port of its own, before the reference service. */
export async function startProxy({
  old,
  asmx: asmxOptions,
  trustProxy,
  ...options
}: ProxySettings): Promise<StartedProxy> {
  const passed: Passed[] = [];
  let onPassed: () => void = () => undefined;
  const asmx = await createAsmx({ endpoints: REFERENCE_ENDPOINTS, ...asmxOptions });
  const proxy = await ReverseProxy.open({
    oldUrl: typeof old === 'number' ? `http://127.0.0.1:${String(old)}` : old,
    oldSilenceMs: 10_000,
    publicAddress: undefined,
    connections: 100,
    unreadMs: 10_000,
    cutoverFile: undefined,
    operations: OPERATIONS,
    ours: asmx,
    ownPaths: new Set(['/healthz']),
    shadow: undefined,
    recorder: new Recorder({
      path: undefined,
      maxBytes: 0,
      note: () => undefined,
      onError: () => undefined,
    }),
    trace: () => ({ trace: undefined, end: () => undefined }),
    observe: (call, _request, { outcome, status, error }) => {
      passed.push({ ...call, outcome, status, error });
      onPassed();
    },
    observeCompared: () => () => undefined,
    ...options,
  });
  const app = express()
    .disable('x-powered-by')
    .set('trust proxy', trustProxy ?? false);
  app.use(proxy.middleware);
  app.get('/healthz', (_request, response) => void response.type('text/plain').send('ours'));
  const server = createHttpServer(app, asmx, { soap: proxy.middleware });
  const port = await listen(server);
  return {
    port,
    proxy,
    asmx,
    passed,
    untilPassed: (count) =>
      new Promise((resolve) => {
        onPassed = () => {
          if (passed.length >= count) resolve(passed);
        };
        onPassed();
      }),
    close: async () => {
      await proxy.close();
      await endServer(server);
    },
  };
}

/** Starts an old server that answers as the test sets. */
export async function startOld(answer: RequestListener): Promise<StartedServer> {
  const server = createServer(answer);
  // It is not to send what the answer does not say.
  server.keepAliveTimeout = 0;
  return { port: await listen(server), close: () => endServer(server) };
}

export interface StartedServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface RawOld extends StartedServer {
  /** Connections so far. */
  readonly connections: readonly Socket[];
}

/** Starts an old server that gets bytes and answers with bytes. */
export async function startRawOld(onBytes: (bytes: Buffer, socket: Socket) => void): Promise<RawOld> {
  const connections: Socket[] = [];
  const server: TcpServer = createTcpServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      onBytes(bytes, socket);
    });
  });
  return {
    port: await listen(server),
    connections,
    close: async () => {
      for (const socket of connections) socket.destroy();
      await endServer(server);
    },
  };
}

/** Writes files for `cutOverFile`, which go with the tests of the surrounding block; returns their paths. */
export function useCutOver(): (modes: unknown) => string {
  const folder = useFolder();
  return (modes) => {
    const path = join(folder, 'cut-over.json');
    writeFileSync(path, JSON.stringify(modes));
    return path;
  };
}

/** Closes after each test what was opened in it. */
export function useClosing(): <T extends { close(): Promise<void> }>(opened: T) => T {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });
  return (opened) => {
    open.push(opened);
    return opened;
  };
}
