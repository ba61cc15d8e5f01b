import { type IncomingMessage, METHODS } from 'node:http';
import { hostname } from 'node:os';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

import type { Exchange } from '../../asmx';
import type { TraceContext, TraceReader } from '../../asmx/internal';
import {
  type AttemptEnd,
  type AttemptFacts,
  type PassageEnd,
  type PassedCall,
  readTraceContext,
  type TraceAttempt,
  type TracedPassage,
  type Tracing,
} from '../../telemetry/tracing';
import { type Config, proxyFor, type ProxyConfig, proxyOptions } from '../../config';

/** Any other method is a caller's own text. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

type Described = Pick<
  Exchange,
  'method' | 'endpoint' | 'operation' | 'binding' | 'status' | 'outcome' | 'refusal' | 'requestId'
>;

/** Returns a name such as `AuthCode soap11`. */
function spanName({
  endpoint,
  operation,
  binding,
}: PassedCall & { readonly endpoint?: string | undefined }): string {
  return [operation ?? endpoint, binding].filter((part) => part !== undefined).join(' ') || 'request';
}

/**
 * Returns the attributes of a request's span, with the names of OpenTelemetry's conventions where those
 * exist. None is a caller's text: no address, no query, no argument.
 */
function exchangeAttributes(exchange: Described): Attributes {
  const { method, endpoint, operation, binding, status, outcome, refusal, requestId } = exchange;
  const isForm = binding === 'get' || binding === 'post';
  const route = endpoint && `/${endpoint}.asmx${isForm && operation !== undefined ? `/${operation}` : ''}`;
  return withoutUndefined({
    ...httpAttributes(method, status),
    'http.route': route,
    'rpc.service': endpoint,
    'rpc.method': operation,
    'service.binding': binding,
    'service.outcome': outcome,
    'service.refusal': refusal,
    'service.request_id': requestId,
    'error.type': outcome === 'ok' ? undefined : outcome,
  });
}

/**
 * Returns the attributes of a span for a request forwarded to another server.
 *
 * @param method - of the request
 */
function passageAttributes(
  method: string,
  { operation, binding }: PassedCall,
  { outcome, status }: PassageEnd,
): Attributes {
  return withoutUndefined({
    ...httpAttributes(method, status),
    'rpc.method': operation,
    'service.binding': binding,
    'service.outcome': outcome,
    'error.type': outcome === 'answered' ? undefined : outcome,
  });
}

function httpAttributes(method: string, status: number): Attributes {
  return {
    'http.request.method': KNOWN_METHODS.has(method) ? method : '_OTHER',
    'http.response.status_code': status === 0 ? undefined : status,
  };
}

/** Kinds of ends that are no errors. */
const GOOD_ENDS: readonly (string | undefined)[] = ['sent', 'written'];

/** Returns the attributes of a span for a delivery attempt. @param outcome - undefined for a bug */
function attemptAttributes(
  { channel, transport, messageId }: AttemptFacts,
  outcome: AttemptEnd | undefined,
): Attributes {
  const kind = outcome?.kind ?? 'defect';
  return withoutUndefined({
    'messaging.operation.type': 'send',
    'messaging.destination.name': channel,
    'messaging.message.id': messageId,
    'service.transport': transport,
    'service.outcome': kind,
    'http.response.status_code': outcome?.status,
    'error.type': GOOD_ENDS.includes(kind) ? undefined : kind,
  });
}

function withoutUndefined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

interface SpanOptions {
  /** Address of the collector, without a trailing slash. */
  readonly endpoint: string;
  readonly version: string;
  readonly logger: Logger;
  readonly times: TracingTimes;
}

/** Time limits, in milliseconds. */
interface TracingTimes {
  /** For one export to the collector, retries included. */
  readonly exportMs: number;
  /** For exporting the rest at the end. */
  readonly closeMs: number;
}

/** Maximum number of spans that wait for the collector, in each process; further ones are dropped. */
const MAX_WAITING = 2048;
const MAX_AT_ONCE = 512;
/** A persistent failure of the collector is logged once in this time. */
const QUIET_MS = 60_000;

/**
 * Outcomes of forwarded requests that are failures of the server; a disconnect and an invalid request are the
 * caller's.
 */
const SERVER_FAILURES: ReadonlySet<string> = new Set(['unreachable', 'silent', 'broken']);

/** The parts of OpenTelemetry in use; loaded only if there is a collector. */
interface OpenTelemetry {
  readonly api: typeof import('@opentelemetry/api');
  readonly sdk: typeof import('@opentelemetry/sdk-trace');
  readonly exporter: typeof import('@opentelemetry/exporter-trace-otlp-http');
  readonly resources: typeof import('@opentelemetry/resources');
}

async function loadLibrary(): Promise<OpenTelemetry> {
  const [api, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { api, sdk, exporter, resources };
}

/** Trace context of a request in progress, passed on to what it causes. */
class RequestTrace implements TraceContext {
  readonly traceparent: string;
  readonly tracestate: string | undefined;

  readonly #span: Span;

  constructor(span: Span) {
    const { traceparent, tracestate } = traceContext(span);
    this.#span = span;
    this.traceparent = traceparent;
    this.tracestate = tracestate;
  }

  end(exchange: Exchange, { SpanStatusCode }: OpenTelemetry['api']): void {
    const span = this.#span;
    if (span.isRecording()) {
      span.updateName(spanName(exchange)).setAttributes(exchangeAttributes(exchange));
      if (exchange.outcome === 'server_error') span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

/** Sends its spans to a collector (OTLP over HTTP, as JSON). */
class SpanTracing implements Tracing {
  readonly #library: OpenTelemetry;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #closeMs: number;
  readonly #logger: Logger;

  constructor(library: OpenTelemetry, config: TracingConfig, options: SpanOptions) {
    const { sdk, exporter, resources } = library;
    const { endpoint, version, logger, times } = options;
    const proxy = proxyFor(endpoint, proxyOptions(config));
    this.#library = library;
    this.#closeMs = times.closeMs;
    this.#logger = logger;
    const collector = new exporter.OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...config.OTEL_EXPORTER_OTLP_HEADERS },
      timeoutMillis: times.exportMs,
      ...(proxy !== undefined && {
        httpAgentOptions: async () => {
          const { HttpsProxyAgent } = await import('https-proxy-agent');
          return new HttpsProxyAgent(proxy, { keepAlive: true });
        },
      }),
    });
    this.#provider = new sdk.TracerProvider({
      resource: resources.resourceFromAttributes({
        'service.name': config.OTEL_SERVICE_NAME,
        'service.version': version,
        'service.instance.id': `${hostname()}:${String(process.pid)}`,
      }),
      // For traces that do not begin here the caller decides.
      sampler: new sdk.ParentBasedSampler({
        root: new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG),
      }),
      spanProcessors: [
        new sdk.BatchSpanProcessor({
          exporter: loggingFailures(collector, logger),
          maxQueueSize: MAX_WAITING,
          maxExportBatchSize: MAX_AT_ONCE,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('student-notification-service', version);
  }

  readonly begin: TraceReader = (request) => new RequestTrace(this.#serverSpan(request));

  readonly end = (exchange: Exchange): void => {
    if (exchange.trace instanceof RequestTrace) exchange.trace.end(exchange, this.#library.api);
  };

  readonly tracePassage = (request: IncomingMessage): TracedPassage => {
    const span = this.#serverSpan(request);
    return {
      trace: traceContext(span),
      end: (call, end) => {
        span.updateName(spanName(call)).setAttributes(passageAttributes(request.method ?? '', call, end));
        if (SERVER_FAILURES.has(end.outcome))
          span.setStatus({ code: this.#library.api.SpanStatusCode.ERROR });
        span.end();
      },
    };
  };

  readonly traceAttempt: TraceAttempt = (facts, trace) => {
    const { SpanKind, SpanStatusCode } = this.#library.api;
    const parent = this.#parentContext(trace);
    const span = this.#tracer.startSpan(`send ${facts.channel}`, { kind: SpanKind.CLIENT }, parent);
    return {
      trace: traceContext(span),
      end: (outcome) => {
        span.setAttributes(attemptAttributes(facts, outcome));
        if (!GOOD_ENDS.includes(outcome?.kind)) {
          const message = outcome?.reason ?? 'Internal error.';
          span.setStatus({ code: SpanStatusCode.ERROR, message });
        }
        span.end();
      },
    };
  };

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#logger.warn('dropped traces that could not be exported in time');
        resolve();
      }, this.#closeMs);
    });
    // Failures have been logged, and a missing collector must not delay the stop.
    await Promise.race([this.#provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  }

  #serverSpan({ headers }: IncomingMessage): Span {
    const kind = this.#library.api.SpanKind.SERVER;
    return this.#tracer.startSpan('request', { kind }, this.#parentContext(readTraceContext(headers)));
  }

  #parentContext(trace: TraceContext | undefined): Context {
    const { createTraceState, ROOT_CONTEXT, trace: traces } = this.#library.api;
    if (trace === undefined) return ROOT_CONTEXT;
    const [, traceId = '', spanId = '', flags = ''] = trace.traceparent.split('-');
    return traces.setSpanContext(ROOT_CONTEXT, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16),
      isRemote: true,
      ...(trace.tracestate !== undefined && { traceState: createTraceState(trace.tracestate) }),
    });
  }
}

/** Logs failures to export traces, at intervals. */
function loggingFailures(exporter: SpanExporter, logger: Logger): SpanExporter {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.error !== undefined && now - loggedAt >= QUIET_MS) {
          loggedAt = now;
          logger.warn(
            { err: result.error, spans: spans.length },
            'cannot export traces (OTEL_EXPORTER_OTLP_ENDPOINT); they are dropped',
          );
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function traceContext(span: Span): TraceContext {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const state = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-0${String(traceFlags & 1)}`,
    ...(state !== undefined && state !== '' && { tracestate: state }),
  };
}

type TracingConfig = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER_ARG'
> &
  ProxyConfig;

const TIMES: TracingTimes = { exportMs: 10_000, closeMs: 2000 };

/**
 * Loads OpenTelemetry; from then on every request and every delivery attempt gets a span.
 *
 * @param endpoint - URL of the collector, without a trailing slash
 * @param version - of the package
 */
export async function openSpanTracing(
  endpoint: string,
  config: TracingConfig,
  version: string,
  logger: Logger,
  times = TIMES,
): Promise<Tracing> {
  return new SpanTracing(await loadLibrary(), config, { endpoint, version, logger, times });
}
