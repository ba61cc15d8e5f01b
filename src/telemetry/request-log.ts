import { METHODS } from 'node:http';

import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

import type { CallContext, Exchange } from '../asmx';
import { clientAddress, groupsOf } from '../asmx/internal';
import { logTime, type ServiceLog, THREE_DIGITS } from './log';

/** The User-Agent of `compare --probe`, whose requests must fail. */
export const PROBE_AGENT = 'school-notifications-probe';
const PROBE_FAMILY = 'probe';

/**
 * Families of clients by pattern of the User-Agent; the first match counts. Log and metrics use only these
 * words.
 */
const FAMILIES: readonly (readonly [pattern: RegExp, family: string])[] = [
  [/MS Web Services Client Protocol|^\.NET|Microsoft WCF/, 'dotnet'],
  [/Mono Web Services/, 'mono'],
  [/JAX-WS|Metro|CXF|Axis|^Java\/|Apache-HttpClient/, 'java'],
  [/^node|undici|axios/, 'node'],
  [/PHP/, 'php'],
  [/[Pp]ython|Zeep|aiohttp/, 'python'],
  [/^curl|^Wget/, 'curl'],
  [/okhttp|Dalvik|ksoap/, 'android'],
  [/CFNetwork|Darwin/, 'apple'],
  [/^Dart/, 'dart'],
  [/^Go-http-client/, 'go'],
  [/^Mozilla\//, 'browser'],
];
const MAX_AGENT_CHARACTERS = 256;
const MAX_REMEMBERED = 1_000;

const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED });

/** Returns the family of a User-Agent, from a small set, whatever the caller sent. */
export function agentFamily(userAgent: string | undefined): string {
  if (userAgent === undefined) return 'none';
  const known = remembered.get(userAgent);
  if (known !== undefined) return known;
  const text = userAgent.slice(0, MAX_AGENT_CHARACTERS);
  const family = text.startsWith(PROBE_AGENT)
    ? PROBE_FAMILY
    : (FAMILIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'other');
  if (text.length === userAgent.length) remembered.set(userAgent, family);
  return family;
}

/** Returns true for the family of the service's own probes, which say nothing about callers. */
export function isProbe(agent: string): boolean {
  return agent === PROBE_FAMILY;
}

type LogClient = 'off' | 'network' | 'address';

/** Returns the client's address in the form allowed in the log. */
export function loggedAddress(request: Request | undefined, logClient: LogClient): string | undefined {
  if (logClient === 'off' || request === undefined) return undefined;
  const address = clientAddress(request);
  return address === undefined || logClient === 'address' ? address : maskAddress(address);
}

/** Masks an address to its network: 24 bits, for IPv6 48. */
function maskAddress(address: string): string {
  if (address.includes(':')) return `${groupsOf(address).slice(0, 3).join(':')}::/48`;
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}

/** Returns the id of a trace, which connects log and traces. */
export function readTraceId({ traceparent }: { readonly traceparent: string }): string {
  return traceparent.slice(3, 35);
}

/**
 * Context of a call for its operation: the caller, the trace context, and a function that adds fields to the
 * log line, with personal data masked.
 */
export type CallLog = Pick<CallContext, 'annotate' | 'caller' | 'trace'>;

/** Any other method is a caller's own text of any length. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

interface LoggedClient {
  /** Family of its User-Agent. */
  readonly agent: string;
  /** Its address in the form allowed in the log; undefined for none. */
  readonly address: string | undefined;
}

/** A kind of request with the part of its log lines that is always the same. */
type RequestKind = Pick<Exchange, 'method' | 'endpoint' | 'binding'> & {
  readonly agent: string;
  readonly text: string;
};

/** Writes the log line of a request: `error` if the service failed, `info` otherwise. */
export class RequestLog {
  readonly #log: ServiceLog;
  readonly #isOn: boolean;
  readonly #afterTime = `","pid":${String(process.pid)}`;
  /** Beginnings of fields by name: the names are the program's own, and few. */
  readonly #fieldStarts = new Map<string, string>();
  readonly #kinds = new Map<string | undefined, RequestKind>();

  constructor(log: ServiceLog) {
    this.#log = log;
    this.#isOn = log.logger.isLevelEnabled('info');
  }

  /** @param failure - error of the service to log; undefined for none */
  write(exchange: Exchange, client: LoggedClient, failure: unknown): void {
    if (exchange.outcome === 'server_error') this.#writeFailure(exchange, client, failure);
    else if (this.#isOn) this.#log.writeLine(this.#line(exchange, client));
  }

  #writeFailure(exchange: Exchange, { agent, address }: LoggedClient, failure: unknown): void {
    const { fields, method, requestId, endpoint, operation, binding, status, outcome, durationMs, caller } =
      exchange;
    const { trace } = exchange;
    this.#log.logger.error(
      {
        ...fields,
        requestId,
        traceId: trace && readTraceId(trace),
        method: knownMethod(method),
        endpoint,
        operation,
        binding,
        caller,
        client: address,
        agent,
        status,
        outcome,
        durationMs: Math.round(durationMs * 1000) / 1000,
        err: failure,
      },
      'request failed',
    );
  }

  // The line as the logger would write it, which would cost a token request 9 % more processor time. The
  // exchange's names come from the program, the contract and the operator, never from a caller: none needs
  // escaping.
  #line(exchange: Exchange, { agent, address }: LoggedClient): string {
    const { fields, requestId, status, outcome, durationMs, caller, refusal, reason, trace } = exchange;
    let line = `{"level":"info","time":"${logTime()}${this.#afterTime}`;
    for (const name in fields) line += this.#field(name, fields[name] ?? '');
    line += `,"requestId":"${requestId}${this.#kind(exchange, agent)}`;
    if (trace !== undefined) line += `,"traceId":"${readTraceId(trace)}"`;
    if (caller !== undefined) line += `,"caller":"${caller}"`;
    if (address !== undefined) line += `,"client":"${address}"`;
    if (refusal !== undefined) line += `,"refusal":"${refusal}"`;
    if (reason !== undefined) line += `,"reason":${JSON.stringify(reason)}`;
    line += `,"status":${String(status)},"outcome":"${outcome}"`;
    return `${line},"durationMs":${toThreeDecimals(durationMs)},"msg":"request"}\n`;
  }

  /**
   * Returns the fields that requests of one kind share, from the last request of that operation if it was
   * alike.
   */
  #kind(exchange: Exchange, agent: string): string {
    const { method, endpoint, operation, binding } = exchange;
    const known = this.#kinds.get(operation);
    if (
      known?.method === method &&
      known.endpoint === endpoint &&
      known.binding === binding &&
      known.agent === agent
    ) {
      return known.text;
    }
    let text = `","method":"${knownMethod(method)}"`;
    if (endpoint !== undefined) text += `,"endpoint":"${endpoint}"`;
    if (operation !== undefined) text += `,"operation":"${operation}"`;
    if (binding !== undefined) text += `,"binding":"${binding}"`;
    text = `${text},"agent":"${agent}"`;
    this.#kinds.set(operation, { method, endpoint, binding, agent, text });
    return text;
  }

  #field(name: string, value: string | number | boolean): string {
    let start = this.#fieldStarts.get(name);
    if (start === undefined) {
      start = `,${JSON.stringify(name)}:`;
      this.#fieldStarts.set(name, start);
    }
    return start + (typeof value === 'boolean' ? String(value) : JSON.stringify(value));
  }
}

/** Formats a non-negative number, at a fifth of the cost of `toFixed`. */
function toThreeDecimals(value: number): string {
  const thousandths = Math.round(value * 1000);
  const rest = thousandths % 1000;
  return `${String((thousandths - rest) / 1000)}.${THREE_DIGITS[rest] ?? ''}`;
}

function knownMethod(method: string): string {
  return KNOWN_METHODS.has(method) ? method : 'other';
}
