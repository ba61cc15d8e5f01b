import { METHODS } from 'node:http';

import type { Request } from 'express';

import { type CallContext, clientAddress, type Exchange, groupsOf } from '../asmx';
import { logTime, type ServiceLog, THREE_DIGITS } from './log';

/** Kinds of clients by what their User-Agent says; the first that fits. Log and metrics know these words alone. */
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
const LONGEST_AGENT = 256;
const MOST_REMEMBERED = 1_000;

const remembered = new Map<string, string>();

/** The family of a User-Agent: one word of few, whatever the caller sent. */
export function agentFamily(userAgent: string | undefined): string {
  if (userAgent === undefined) return 'none';
  const known = remembered.get(userAgent);
  if (known !== undefined) return known;
  const text = userAgent.slice(0, LONGEST_AGENT);
  const family = FAMILIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  if (text.length === userAgent.length) remembered.set(userAgent, family);
  return family;
}

/** How much of a client's address the log holds. */
type LogClient = 'off' | 'network' | 'address';

/** The client's address for the log, or as much of it as it may hold. */
export function loggedAddress(request: Request | undefined, logClient: LogClient): string | undefined {
  if (logClient === 'off' || request === undefined) return undefined;
  const address = clientAddress(request);
  return address === undefined || logClient === 'address' ? address : maskAddress(address);
}

/** An address for the log: its network of 24 bits, of IPv6 that of 48. */
function maskAddress(address: string): string {
  if (address.includes(':')) return `${groupsOf(address).slice(0, 3).join(':')}::/48`;
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}

/** The id of a trace, by which the log and the traces are found from each other. */
export function traceIdOf({ traceparent }: { readonly traceparent: string }): string {
  return traceparent.slice(3, 35);
}

/** What an operation may know of a call: who calls, and what it is a part of, and how to add fields to its log line; personal data only masked. */
export type CallLog = Pick<CallContext, 'annotate' | 'caller' | 'trace'>;

/** Any other method is a caller's own text, as long as a caller likes. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** What the log tells of who sent a request. */
interface LoggedClient {
  /** Family of its User-Agent. */
  readonly agent: string;
  /** As much of its address as the log may hold; undefined for nothing. */
  readonly address: string | undefined;
}

/** Writes the one log line of a request: `error` where the service failed, `info` otherwise. */
export class RequestLog {
  readonly #log: ServiceLog;
  readonly #isOn: boolean;
  readonly #afterTime = `","pid":${String(process.pid)}`;
  /** By the names of fields: the program's own, and few. */
  readonly #fieldStarts = new Map<string, string>();

  constructor(log: ServiceLog) {
    this.#log = log;
    this.#isOn = log.logger.isLevelEnabled('info');
  }

  /** @param failure - what went wrong on our side; goes into the line, undefined for nothing */
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
        traceId: trace && traceIdOf(trace),
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

  // As the logger would write it, at a fifth of the cost: one line a request is most of what is logged. The
  // exchange's names are the program's own, the contract's and the operator's, never a caller's text: none needs escaping.
  #line(exchange: Exchange, { agent, address }: LoggedClient): string {
    const {
      fields,
      method,
      requestId,
      endpoint,
      operation,
      binding,
      status,
      outcome,
      durationMs,
      caller,
      refusal,
      reason,
      trace,
    } = exchange;
    let line = `{"level":"info","time":"${logTime()}${this.#afterTime}`;
    for (const name in fields) line += this.#field(name, fields[name] ?? '');
    line += `,"requestId":"${requestId}","method":"${knownMethod(method)}"`;
    if (trace !== undefined) line += `,"traceId":"${traceIdOf(trace)}"`;
    if (endpoint !== undefined) line += `,"endpoint":"${endpoint}"`;
    if (operation !== undefined) line += `,"operation":"${operation}"`;
    if (binding !== undefined) line += `,"binding":"${binding}"`;
    if (caller !== undefined) line += `,"caller":"${caller}"`;
    if (address !== undefined) line += `,"client":"${address}"`;
    line += `,"agent":"${agent}"`;
    if (refusal !== undefined) line += `,"refusal":"${refusal}"`;
    if (reason !== undefined) line += `,"reason":${JSON.stringify(reason)}`;
    return `${line},"status":${String(status)},"outcome":"${outcome}","durationMs":${toThreeDecimals(durationMs)},"msg":"request"}\n`;
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

/** A number that is not negative, at a fifth of what `toFixed` costs. */
function toThreeDecimals(value: number): string {
  const thousandths = Math.round(value * 1000);
  const rest = thousandths % 1000;
  return `${String((thousandths - rest) / 1000)}.${THREE_DIGITS[rest] ?? ''}`;
}

function knownMethod(method: string): string {
  return KNOWN_METHODS.has(method) ? method : 'other';
}
