import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { Exchange } from '../asmx';
import type { TraceContext, TraceReader } from '../asmx/internal';

/** Version, trace, the caller's span, flags; extensions of later versions are ignored. */
const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[ -~]{0,200})?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
/** The one flag of version 00. */
const SAMPLED = 1;

const MAX_STATE_CHARACTERS = 512;
const MAX_STATE_MEMBERS = 32;
const STATE_KEY = /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})$/;
const STATE_VALUE = /^[!-+\--<>-~ ]{0,255}[!-+\--<>-~]$/;

/**
 * Parses the trace context of a request (W3C Trace Context), in the form of version 00. The headers are a
 * caller's own text: anything malformed counts as absent.
 */
export function readTraceContext(headers: IncomingHttpHeaders): TraceContext | undefined {
  const parent = headers['traceparent'];
  return typeof parent === 'string' ? read(parent, headers['tracestate']) : undefined;
}

function read(parent: string, state: string | readonly string[] | undefined): TraceContext | undefined {
  const match = PARENT.exec(parent);
  if (match === null) return undefined;
  const [, version = '', trace = '', span = '', flags = '', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (trace === NO_TRACE || span === NO_SPAN) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  const traceparent = `00-${trace}-${span}-0${isSampled ? '1' : '0'}`;
  const tracestate = typeof state === 'string' ? readState(state) : undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Returns undefined if a member is invalid, there are too many, or one is repeated. */
function readState(text: string): string | undefined {
  if (text.length > MAX_STATE_CHARACTERS) return undefined;
  const members = text.split(',').map((member) => member.replace(/^[ \t]|[ \t]$/g, ''));
  const named = members.filter((member) => member !== '');
  const keys = named.map((member) => member.slice(0, Math.max(0, member.indexOf('='))));
  const areGood = named.every(
    (member, at) => STATE_KEY.test(keys[at] ?? '') && STATE_VALUE.test(member.slice(member.indexOf('=') + 1)),
  );
  const isGood = areGood && named.length > 0 && named.length <= MAX_STATE_MEMBERS;
  return isGood && new Set(keys).size === keys.length ? named.join(',') : undefined;
}

/** Call of a request that was forwarded. */
export interface PassedCall {
  /** Undefined if unknown. */
  readonly operation: string | undefined;
  readonly binding: string | undefined;
}

/** Outcome of a forwarded request. */
export interface PassageEnd {
  /** `answered`, or how else. */
  readonly outcome: string;
  /** Status of the other server; 0 without an answer. */
  readonly status: number;
}

/** A forwarded request with its span. */
export interface TracedPassage {
  /** Trace context for the other server, in place of the caller's; undefined keeps that. */
  readonly trace: TraceContext | undefined;
  readonly end: (call: PassedCall, end: PassageEnd) => void;
}

/** Traces requests and attempts through the service, or only forwards callers' trace contexts. */
export interface Tracing {
  readonly begin: TraceReader;
  readonly end?: (exchange: Exchange) => void;
  readonly traceAttempt?: TraceAttempt;
  /** Called for each request as it is forwarded to another server. */
  readonly tracePassage: (request: IncomingMessage) => TracedPassage;
  /** Exports the remaining spans within a short time limit. Does not throw. */
  readonly close: () => Promise<void>;
}

/** Passes callers' trace contexts on, and records nothing. */
export const PASS_ON: Tracing = {
  begin: (request) => readTraceContext(request.headers),
  tracePassage: (request) => ({ trace: readTraceContext(request.headers), end: () => undefined }),
  close: () => Promise.resolve(),
};

/** A delivery attempt as it begins. */
export interface AttemptFacts {
  readonly channel: string;
  readonly transport: string;
  readonly messageId: string;
}

/** Outcome of an attempt, for its span. */
export interface AttemptEnd {
  readonly kind: string;
  readonly reason?: string | undefined;
  /** HTTP status of the provider's answer. */
  readonly status?: number;
}

/**
 * Called as a delivery attempt begins, with the trace context of its message.
 *
 * @returns the context to send to the provider, and a function to call when the attempt has ended: with
 * undefined for a bug
 */
export type TraceAttempt = (
  facts: AttemptFacts,
  trace: TraceContext | undefined,
) => { readonly trace: TraceContext; readonly end: (end: AttemptEnd | undefined) => void };
