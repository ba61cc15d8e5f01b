import type { Reason } from '../../store';
import { tryTo } from '../../support/errors';
import type { Outcome } from '../outcome';
import type { ProviderResult } from '../transports/provider-client';
import type { SmsMessage } from '../transports/transport';
import { BodyTooComplex, elementsAt, MAX_DEPTH, readXml, textAtPath, type XmlElement } from './answer-xml';
import type { Gateway } from './gateway-file';
import type { AnswerRule } from './gateway-schema';
import type { AnswerPlace } from './request-schema';

/** Default rules, by status alone, for answers that no rule of the gateway matches. */
const USUAL_RULES: readonly AnswerRule[] = [
  { status: ['429'], class: 'busy' },
  // 408 and 425: the same request may succeed later (RFC 9110 and 8470).
  { status: ['408', '425'], class: 'retry' },
  { status: ['5xx'], class: 'retry' },
  { status: ['401', '407'], class: 'stopped', meaning: 'wrong credentials' },
];
export const LONGEST_ID = 256;
const MAX_MEMBERS = 1000;
const LONGEST_CODE = 60;
/** A code with this many digits may be a phone number, and is not an error code. */
const PHONE_DIGITS = 7;

/**
 * Returns the outcome of a request for its message; an answer without a matching rule is `unknown`, never
 * accepted.
 */
export function toOutcome(gateway: Gateway, result: ProviderResult, message: SmsMessage): Outcome {
  if (result.kind === 'not-written') return { kind: 'failing', reason: result.reason };
  if (result.kind === 'no-response') return { kind: 'unknown', reason: result.reason };

  const { status } = result;
  const body = result.body === undefined ? undefined : new AnswerBody(result.body);
  const isInRule = (text: string): boolean =>
    gateway.answers.some((each) => each.code?.includes(text) === true);
  const code = body?.find(gateway.code, isInRule);
  const rule = ruleFor(gateway.answers, status, code);
  // A code listed in the table does not come from the message.
  const isShown = code !== undefined && (rule?.code !== undefined || !isPersonal(code, message));
  const detail = isShown ? code : undefined;
  const said = { status, detail, meaning: rule?.meaning, gateway: gateway.name };
  const pauseMs = rule?.pauseSeconds === undefined ? undefined : rule.pauseSeconds * 1000;
  const retryAfterMs = result.retryAfterMs ?? pauseMs;
  switch (rule?.class) {
    case 'accepted': {
      const { providerId: place } = gateway;
      const providerId = place === '{id}' ? message.id : body?.find(place)?.slice(0, LONGEST_ID);
      const parts = Number(body?.find(gateway.parts) ?? Number.NaN);
      const counted = Number.isSafeInteger(parts) && parts > 0 ? { parts } : {};
      const { awaited } = gateway;
      const isFollowed = providerId !== undefined && (awaited?.address ?? awaited?.request) !== undefined;
      return { kind: 'sent', providerId, status, ...counted, ...(isFollowed && { awaitsReceipt: true }) };
    }
    case 'busy':
      return { kind: 'busy', reason: { code: 'provider_busy', ...said }, retryAfterMs, status };
    case 'retry':
      return { kind: 'failing', reason: { code: 'provider_failing', ...said }, retryAfterMs, status };
    case 'rejected':
      return { kind: 'refused', reason: { code: 'provider_rejected', ...said }, status };
    case 'stopped':
      return { kind: 'stopped', reason: { code: 'account_stopped', ...said }, status };
    case 'unknown':
    case undefined: {
      const reason: Reason =
        body === undefined ? { code: 'answer_unreadable' } : { code: 'answer_unmatched', ...said };
      return { kind: 'unknown', reason, status };
    }
  }
}

/**
 * Returns the gateway's first rule, unless it is only about `4xx` and a default one is about the very status.
 */
function ruleFor(
  rules: readonly AnswerRule[],
  status: number,
  code: string | undefined,
): AnswerRule | undefined {
  const [own, usual] = [rules, USUAL_RULES].map((some) => some.find((each) => fits(each, status, code)));
  const isOwn = own !== undefined && (isExact(own) || usual === undefined || !isExact(usual));
  return isOwn ? own : usual;
}

/** Returns true for a rule about a code, or about statuses that it lists. */
function isExact({ status, code }: AnswerRule): boolean {
  return code !== undefined || status?.every((each) => !each.endsWith('xx')) === true;
}

function fits(rule: AnswerRule, status: number, code: string | undefined): boolean {
  return (
    (rule.status === undefined ||
      rule.status.some((each) => String(status).startsWith(each.replace('xx', '')))) &&
    (rule.code === undefined || (code !== undefined && rule.code.includes(code)))
  );
}

/** The contents of a body in each form. */
interface BodyParts {
  readonly text: () => string;
  readonly json: () => unknown;
  readonly xml: () => XmlElement | undefined;
}

/** The body of an answer, parsed at most once as JSON and once as XML. */
export class AnswerBody {
  readonly #parts: BodyParts;
  #isTooComplex = false;

  constructor(body: string | BodyParts) {
    this.#parts = typeof body === 'string' ? partsOf(body) : body;
  }

  /** True if it has exceeded a limit: what was looked for may be there. */
  get isTooComplex(): boolean {
    return this.#isTooComplex;
  }

  /**
   * Returns the first non-empty text at one of the places.
   *
   * @param isKnown - the first text for which it is true comes before the others; default: none does
   */
  find(places: readonly AnswerPlace[] = [], isKnown?: (text: string) => boolean): string | undefined {
    let first: string | undefined;
    for (const place of places) {
      const text = this.#within(() => this.#textAt(place))?.trim();
      if (text === undefined || text === '') continue;
      if (isKnown === undefined || isKnown(text)) return text;
      first ??= text;
    }
    return first;
  }

  /**
   * Returns the members of a list, at most 1,000; none if there is no list. A list is an array of JSON, all
   * elements of one name, or all matches of a pattern.
   */
  members(place: AnswerPlace): readonly AnswerBody[] {
    return this.#within(() => this.#membersAt(place)) ?? [];
  }

  #within<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof BodyTooComplex)) throw error;
      this.#isTooComplex = true;
      return undefined;
    }
  }

  #membersAt(place: AnswerPlace): readonly AnswerBody[] {
    const { text, json, xml } = this.#parts;
    if ('pattern' in place) {
      const matches = place.pattern.findAll(text(), MAX_MEMBERS);
      if (matches === undefined) throw new BodyTooComplex();
      return matches.map((groups) => new AnswerBody(firstOf(groups) ?? ''));
    }
    if ('xml' in place) {
      const elements = elementsAt(xml(), place.xml.split('/')).slice(0, MAX_MEMBERS);
      return elements.map((each) => new AnswerBody(partsOfElement(text(), each)));
    }
    const list = valueAt(json(), place.json);
    return Array.isArray(list)
      ? list.slice(0, MAX_MEMBERS).map((each: unknown) => new AnswerBody(partsOfValue(each)))
      : [];
  }

  #textAt(place: AnswerPlace): string | undefined {
    const { text, json, xml } = this.#parts;
    if ('pattern' in place) return firstOf(place.pattern.find(text()));
    if ('xml' in place) return textAtPath(xml(), place.xml.split('/'));
    const value = valueAt(json(), place.json);
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
  }
}

function partsOf(text: string): BodyParts {
  return { text: () => text, json: once(() => readJson(text)), xml: once(() => readXml(text)) };
}

/** A member of a list is not read a second time. */
function partsOfElement(whole: string, element: XmlElement): BodyParts {
  const { from, to } = element.source;
  return { text: () => whole.slice(from, to), json: () => undefined, xml: () => element };
}

function partsOfValue(value: unknown): BodyParts {
  return { text: () => JSON.stringify(value), json: () => value, xml: () => undefined };
}

function once<T>(read: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: read() }).value;
}

/** @throws BodyTooComplex */
function readJson(text: string): unknown {
  const value = tryTo(() => parseJsonAsWritten(text));
  if (isDeep(value, MAX_DEPTH)) throw new BodyTooComplex();
  return value;
}

/** Returns true for lists and objects that are nested deeper than a number of levels. */
function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeep(each, levels - 1));
}

/**
 * Matches a number that does not read back as it is written: a long one, or one with a fraction or an
 * exponent.
 */
const INEXACT = /\d{16}|\d[.eE]/;
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Parses JSON; numbers that would change become texts, because ids may be above 2^53. */
function parseJsonAsWritten(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!INEXACT.test(text)) return value;
  return JSON.parse(text.replace(TEXT_OR_NUMBER, (each) => (each.startsWith('"') ? each : `"${each}"`)));
}

/** Resolves a JSON pointer (RFC 6901). */
function valueAt(json: unknown, pointer: string): unknown {
  let at = json;
  for (const step of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, step.replaceAll('~1', '/').replaceAll('~0', '~')) as unknown;
  }
  return at;
}

/** Returns the capture of a pattern's only group. */
function firstOf(groups: Readonly<Record<string, string | null>> = {}): string | undefined {
  return Object.values(groups)[0] ?? undefined;
}

/** Returns true for a word that may come from the message: from its text, or from its number in any form. */
function isPersonal(word: string, { phone, text }: SmsMessage): boolean {
  if (!isCode(word) || text.split(/[^\w.-]+/).includes(word)) return true;
  const digits = word.replace(/\D/g, '');
  return digits.length >= 3 && phone.endsWith(digits);
}

/** Returns true for a word that looks like an error code, and not like a phone number or a part of a text. */
export function isCode(word: string): boolean {
  return (
    word.length <= LONGEST_CODE && /^[\w.-]+$/.test(word) && word.replace(/\D/g, '').length < PHONE_DIGITS
  );
}
