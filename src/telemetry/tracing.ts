import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { Exchange, TraceContext, TraceReader } from '../asmx';

/** Version, trace, the caller's span, flags; what a later version has behind them is not known here. */
const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[ -~]{0,200})?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
/** The one flag that version 00 knows. */
const SAMPLED = 1;

const MOST_STATE_CHARACTERS = 512;
const MOST_STATE_MEMBERS = 32;
const STATE_KEY = /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})$/;
const STATE_VALUE = /^[!-+\--<>-~ ]{0,255}[!-+\--<>-~]$/;

/**
 * What a request says that it is a part of (W3C Trace Context), in the form of version 00. The headers are a caller's own
 * text: what is not to the letter counts as not sent.
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

/** Undefined where one of its members is wrong, there are too many, or one comes twice. */
function readState(text: string): string | undefined {
  if (text.length > MOST_STATE_CHARACTERS) return undefined;
  const members = text.split(',').map((member) => member.replace(/^[ \t]|[ \t]$/g, ''));
  const named = members.filter((member) => member !== '');
  const keys = named.map((member) => member.slice(0, Math.max(0, member.indexOf('='))));
  const areGood = named.every(
    (member, at) => STATE_KEY.test(keys[at] ?? '') && STATE_VALUE.test(member.slice(member.indexOf('=') + 1)),
  );
  const isGood = areGood && named.length > 0 && named.length <= MOST_STATE_MEMBERS;
  return isGood && new Set(keys).size === keys.length ? named.join(',') : undefined;
}

/** What is told of a request that was passed on. */
export interface PassedCall {
  /** Undefined where nobody could tell. */
  readonly operation: string | undefined;
  readonly binding: string | undefined;
}

/** How that ended. */
export interface PassageEnd {
  /** `answered`, or how else. */
  readonly outcome: string;
  /** Of the other server; 0 where it gave none. */
  readonly status: number;
}

/** A request that is passed on. */
export interface TracedPassage {
  /** What the other server is told, in the place of what the caller said; undefined leaves that as it is. */
  readonly trace: TraceContext | undefined;
  readonly end: (call: PassedCall, end: PassageEnd) => void;
}

/** What follows requests and attempts through the service, or only hands on what callers say of them. */
export interface Tracing {
  /** Asked of each request as it begins. */
  readonly begin: TraceReader;
  /** Told of each request at its end. */
  readonly end?: (exchange: Exchange) => void;
  readonly traceAttempt?: TraceAttempt;
  /** Asked of each request that is passed on to another server as it begins. */
  readonly tracePassage: (request: IncomingMessage) => TracedPassage;
  /** Sends what was not sent yet, as far as that is done soon. It does not throw. */
  readonly close: () => Promise<void>;
}

/** An attempt to deliver a message, as it begins. */
export interface AttemptFacts {
  readonly channel: string;
  /** Name of what the message leaves by. */
  readonly transport: string;
  readonly messageId: string;
}

/** How an attempt ended, as far as its span shows it. */
export interface AttemptEnd {
  readonly kind: string;
  readonly reason?: string | undefined;
  /** HTTP status of the provider's answer. */
  readonly status?: number;
}

/**
 * Called as an attempt to deliver begins, with the context that its message is a part of.
 *
 * @returns the context to send to the provider, and what to call when the attempt has ended: with undefined for a defect
 */
export type TraceAttempt = (
  facts: AttemptFacts,
  trace: TraceContext | undefined,
) => { readonly trace: TraceContext; readonly end: (end: AttemptEnd | undefined) => void };
