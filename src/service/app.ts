import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { TlsOptions, TLSSocket } from 'node:tls';

import express, { type RequestHandler } from 'express';

import { openTls, tlsFailure } from '../access/tls';
import { SAMPLE_DEVICE } from '../admin/alerts/snapshot';
import { MinuteStats } from '../admin/history/minute-stats';
import { type Asmx, type AsmxOptions, ContractError, createAsmx, createHttpServer } from '../asmx';
import {
  type ExampleCall,
  type ExampleCommand,
  exampleCommands,
  FORWARDED_HEADERS,
  type OtherForwardedHeader,
  type ServiceContract,
} from '../asmx/internal';
import { type Config, timeLimits, type Reloadable } from '../config';
import { createDelivery, type Delivery, loadCodeGuard, loadReceipts } from '../delivery';
import { ALL_FEATURES } from '../features/feature';
import { createOperations, type Operations, withoutSending } from '../operations';
import type { MessageChannel, Store } from '../store';
import { OperatorError } from '../support/errors';
import { readVersion } from '../support/program-name';
import {
  agentFamily,
  BoundLog,
  Health,
  loggedAddress,
  Metrics,
  PASS_ON,
  RequestLog,
  type ServiceLog,
  type Tracing,
} from '../telemetry';
import { openServiceStore } from './database';
import { findFailure, openAccess, readEndpoints } from './endpoints';
import type { Front, FrontCore } from './front';
import type { ScheduledWork } from './scheduled-work';

/** Paths for load balancers. */
const OWN_PATHS = { live: '/healthz', ready: '/readyz' } as const;

const NAME = 'Student Notification and Scheduling';
const DESCRIPTION =
  'Web services for school portals and phones: authentication codes, exam tables, note types, mark notes, students and device tokens.';

/** A call that the sample school can answer. */
const EXAMPLE: ExampleCall = { operation: 'GetTokenDevice', values: { id: SAMPLE_DEVICE } };

export interface App {
  /** Services that this process offers; none in a worker. */
  readonly services: readonly ServiceContract[];
  examples(address: string): readonly ExampleCommand[];
  readonly health: Health;
  /** Server for callers; does not listen yet. */
  readonly server: Server;
  /** Names in the service's certificate; undefined without TLS. */
  readonly certificateNames: readonly string[] | undefined;
  /** Creates the server for a plain port beside the given TLS port; it takes no calls. */
  plainServer(securePort: number): Server;
  readonly delivery: Delivery;
  readonly metrics: Metrics;
  /** For monitoring the service. */
  readonly store: Store;
  /** Parts that can reload their files and secrets. */
  readonly reloadables: readonly Reloadable[];
  /** Closes the resources of the servers; must be called after they have stopped. */
  close(): Promise<void>;
}

/** Called for each new message when another process of this service delivers it. */
type OnNewMessage = (channel: MessageChannel) => void;

/**
 * Builds the service: creates every room, and passes it what it needs of the others.
 *
 * @throws OperatorError for a problem with the settings, the store, the contract or an address
 */
export async function createApp(config: Config, log: ServiceLog, onNewMessage?: OnNewMessage): Promise<App> {
  const metrics = new Metrics();
  const store = await openServiceStore(config, log.logger, { onWrite: metrics.countWrite.bind(metrics) });
  try {
    const ground = await openGround(config, log, metrics, store);
    const delivery = openDelivery(ground, onNewMessage);
    const answering = await openAnswering(ground, openOperations(ground, delivery));
    return startApp(ground, delivery, answering, await openWork(ground));
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the features' work at intervals. */
async function openWork({ config, store, logger }: Ground): Promise<readonly ScheduledWork[]> {
  const offered = ALL_FEATURES.map(async (feature) => feature.openWork?.({ config, store, logger }));
  return (await Promise.all(offered)).filter((work) => work !== undefined);
}

/** Resources shared by answering and delivery. */
type Ground = Awaited<ReturnType<typeof openGround>>;

async function openGround(config: Config, log: ServiceLog, metrics: Metrics, store: Store) {
  const { logger } = log;
  const version = readVersion();
  const health = new Health(() => store.ping(), logger);
  metrics.watchHealth(health);
  const access = openAccess(config);
  const tls = openTls(config, logger);
  const tracing = await openTracing(config, version, logger);
  const openGuard = await loadCodeGuard();
  const guard = openGuard({ config, store, logger, registry: metrics.registry });
  const takeReceipts = await loadReceipts();
  return {
    ...{ config, log, logger, version, store, metrics, health, access, tls, tracing },
    ...{ guard, takeReceipts },
  };
}

/** Returns the tracing of the first feature that the settings ask to trace. */
async function openTracing(config: Config, version: string, logger: ServiceLog['logger']): Promise<Tracing> {
  for (const feature of ALL_FEATURES) {
    const tracing = await feature.openTracing?.(config, version, logger);
    if (tracing !== undefined) return tracing;
  }
  return PASS_ON;
}

function openDelivery(ground: Ground, onNewMessage: OnNewMessage | undefined): Delivery {
  const { config, logger, store, metrics, access, tracing, takeReceipts, guard } = ground;
  return createDelivery({
    store,
    config,
    logger,
    traceAttempt: tracing.traceAttempt,
    registry: metrics.registry,
    knownCallers: () => access?.callerNames ?? [],
    takeReceipts,
    guard,
    announce:
      onNewMessage &&
      ((channel) => {
        store.announce(channel);
        onNewMessage(channel);
      }),
  });
}

function openOperations({ config, store }: Ground, delivery: Delivery): Operations {
  return createOperations(store, {
    country: config.DEFAULT_COUNTRY,
    isCode: (code) => config.CODE_PATTERN.fits(code),
    acceptCode: delivery.acceptCode,
    wakeMarks: () => {
      delivery.wake('mark');
    },
  });
}

/** Parts that answer callers: the protocol, behind the front of a feature if there is one. */
type Answering = Awaited<ReturnType<typeof openAnswering>>;

async function openAnswering(ground: Ground, operations: Operations) {
  const { config, logger, metrics, tracing } = ground;
  const options = protocolOptions(ground);
  const asmx = await openProtocol(config, operations, options);
  const front = await openFront({
    config,
    asmx,
    logger,
    metrics,
    trace: tracing.tracePassage,
    ownPaths: new Set(Object.values(OWN_PATHS)),
    openOwn: async (handlerMilliseconds) => {
      const own = await openProtocol(config, withoutSending(operations), {
        ...options,
        limits: { ...options.limits, handlerMilliseconds },
        // Comparisons do not count as calls.
        authorizer: undefined,
        observe: undefined,
        trace: undefined,
        onBound: undefined,
      });
      return createServer(ground, own, own.middleware);
    },
  });
  return { asmx, front };
}

/** Returns the front of the first feature that the settings ask for one. */
async function openFront(core: FrontCore): Promise<Front | undefined> {
  for (const feature of ALL_FEATURES) {
    const front = await feature.openFront?.(core);
    if (front !== undefined) return front;
  }
  return undefined;
}

type ProtocolOptions = Omit<AsmxOptions, 'endpoints'>;

function protocolOptions({
  config,
  log,
  logger,
  version,
  metrics,
  health,
  access,
  tracing,
}: Ground): ProtocolOptions {
  const requests = new RequestLog(log);
  const bounds = new BoundLog(logger);
  return {
    namespace: config.SERVICE_NAMESPACE,
    publicAddress: config.BASE_URL,
    allowedHosts: config.ALLOWED_HOSTS,
    allowedOrigins: config.ALLOWED_ORIGINS,
    testForm: config.TEST_FORM,
    limits: {
      bodyBytes: config.MAX_BODY_BYTES,
      connections: config.MAX_CONNECTIONS,
      unsentBytes: 16 * config.MAX_BODY_BYTES,
      unsentMilliseconds: timeLimits(config).unreadMs,
      queryCharacters: config.MAX_QUERY_CHARACTERS,
      handlerMilliseconds: timeLimits(config).operationMs,
    },
    authorizer: access,
    server: { name: NAME, description: DESCRIPTION, version },
    readiness: async () => {
      const status = await health.status();
      return { ready: status === 'ready', text: status };
    },
    onBound: (bound) => {
      bounds.note(bound);
    },
    charReading: 'lenient',
    trace: tracing.begin,
    observe: (exchange, request) => {
      const agent = agentFamily(request?.headers['user-agent']);
      const address = loggedAddress(request, config.LOG_CLIENT);
      metrics.countRequest(exchange, agent, address);
      requests.write(exchange, { agent, address }, findFailure(exchange));
      tracing.end?.(exchange);
    },
  };
}

/** Opens the protocol; a description that cannot be served is reported as an error for the operator. */
async function openProtocol(config: Config, operations: Operations, options: ProtocolOptions): Promise<Asmx> {
  try {
    return await createAsmx({
      ...options,
      endpoints: await readEndpoints(operations, config),
    });
  } catch (error) {
    throw error instanceof ContractError ? new OperatorError(error.message, { cause: error }) : error;
  }
}

/**
 * @param middleware answers everything except the probes of load balancers; undefined answers nothing else
 */
function createServer(
  { config, health }: Ground,
  asmx: Asmx,
  middleware: RequestHandler | undefined,
  {
    tls,
    receipts,
  }: { readonly tls?: TlsOptions | undefined; readonly receipts?: RequestHandler | undefined } = {},
): Server {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.TRUST_PROXY);
  const forwarded: readonly OtherForwardedHeader[] | undefined = config.FORWARDED_HEADERS;
  app.set(FORWARDED_HEADERS, forwarded);
  if (receipts !== undefined) app.use(receipts);
  if (middleware !== undefined) app.use(middleware);
  const probes = { [OWN_PATHS.live]: health.live, [OWN_PATHS.ready]: health.ready };
  for (const [path, answer] of Object.entries(probes)) {
    // Express answers HEAD for a route with GET.
    app.route(path).get(answer).options(showMethods).all(refuseMethod);
  }
  return createHttpServer(app, asmx, { timeouts: timeLimits(config), tls, soap: middleware });
}

/** Starts the periodic work, and assembles the parts that others use. */
function startApp(
  ground: Ground,
  delivery: Delivery,
  { asmx, front }: Answering,
  scheduled: readonly ScheduledWork[],
): App {
  const { config, logger, store, metrics, health, access, tls, tracing } = ground;
  const isWorker = config.ROLE === 'worker';
  const services = isWorker ? [] : asmx.services;
  const server = createServer(ground, asmx, isWorker ? undefined : (front ?? asmx).middleware, {
    tls: tls?.options,
    ...(!isWorker && config.GATEWAYS_FILE !== undefined && { receipts: delivery.receipts?.middleware }),
  });
  if (tls !== undefined && server instanceof TlsServer) {
    tls.renew(server);
    metrics.watchCertificate(() => tls.endsAt);
    server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
      metrics.countFailedHandshake(tlsFailure(error, socket));
    });
  }
  const stats = new MinuteStats({ store, metrics, logger });
  stats.start();
  for (const work of scheduled) work.start();
  return {
    services,
    examples: (address) => exampleCommands(services, EXAMPLE, address),
    delivery,
    health,
    server,
    certificateNames: tls?.names,
    plainServer: (securePort) =>
      createServer(ground, asmx, isWorker ? undefined : asmx.plainPort(securePort)),
    metrics,
    store,
    reloadables: [...[access, front, tls].filter((each) => each !== undefined), ...delivery.reloadables],
    close: async () => {
      tls?.close();
      await front?.close();
      await Promise.all(scheduled.map((work) => work.stop()));
      await stats.stop();
      await Promise.all([store.close(), tracing.close()]);
    },
  };
}

const PROBE_METHODS = 'GET, HEAD, OPTIONS';

const showMethods: RequestHandler = (_request, response) => {
  response.set('Allow', PROBE_METHODS).set('Cache-Control', 'no-store').end();
};

const refuseMethod: RequestHandler = (_request, response) => {
  response.set('Allow', PROBE_METHODS).set('Cache-Control', 'no-store').status(405).end();
};
