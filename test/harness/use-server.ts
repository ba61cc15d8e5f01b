import { startReference } from '../reference/service';
import { seen, type WireAnswer } from './asmx-answers';
import type { AsmxServer, AsmxServerOptions } from './asmx-server';
import { exchange, RawConnection, type RawRequest, type RawResponse } from '../../scripts/harness';

/** A server that lives as long as the tests of the block that asked for it. */
export interface UsedServer {
  /** Host and port, as a Host header carries them. */
  readonly host: string;
  /** Sends a request on a connection of its own and returns what the wire contract fixes of the answer. */
  ask(request: RawRequest): Promise<WireAnswer>;
  /** Sends a request and returns all of the response. */
  send(request: RawRequest): Promise<RawResponse>;
  /** Opens a connection, which is closed after the test at the latest. */
  connect(): Promise<RawConnection>;
}

/** Starts a server before the tests of the surrounding block and ends it after them. */
export function useServer(start: () => Promise<AsmxServer>): UsedServer {
  let server: AsmxServer | undefined;
  const connections: RawConnection[] = [];
  beforeAll(async () => {
    server = await start();
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });
  afterAll(async () => {
    await server?.close();
  });

  const port = (): number => {
    if (server === undefined) throw new Error('The server runs only inside the tests of its block');
    return server.port;
  };
  return {
    get host() {
      return `127.0.0.1:${String(port())}`;
    },
    ask: async (request) => seen(await exchange(port(), request)),
    send: (request) => exchange(port(), request),
    connect: async () => {
      const connection = await RawConnection.open(port());
      connections.push(connection);
      return connection;
    },
  };
}

/** The reference service, before the tests of the surrounding block and until after them. */
export function useReference(options: Omit<AsmxServerOptions, 'endpoints'> = {}): UsedServer {
  return useServer(() => startReference(options));
}
