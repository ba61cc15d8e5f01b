import { create } from 'xmlbuilder2';

import type { Reason } from '../../store';
import type { Outcome } from '../outcome';
import type { ProviderResponse, ProviderResult, SmsMessage } from '../transports/provider-client';
import type { Gateway } from './gateway-file';
import type { AnswerClass, AnswerPlace, AnswerRule } from './gateway-schema';

/** These rules read the status alone, and apply where no rule of the gateway fits. */
const USUAL_RULES: readonly AnswerRule[] = [
  { status: [429], class: 'busy' },
  // 408 and 425: the request came too late or too early, and the same is taken later (RFC 9110 and 8470).
  { status: [408, 425, '5xx'], class: 'retry' },
  { status: [401, 407], class: 'stopped', meaning: 'wrong credentials' },
];
const LONGEST_ID = 256;
const LONGEST_CODE = 60;
/** Errors have no code with more digits: it would be a telephone number. */
const PHONE_DIGITS = 7;

/** Holds the meaning of an answer by the rules of its gateway. */
export interface ReadAnswer {
  readonly class: AnswerClass;
  /** The provider's own code; undefined where there is none, or it may be personal. */
  readonly code: string | undefined;
  /** Explains the code in the words of the preset or of the operator. */
  readonly meaning: string | undefined;
  readonly pauseMs: number | undefined;
}

/** Reads an answer by the gateway's table; what no rule knows is `unknown`, never accepted. */
export function readAnswer(
  gateway: Gateway,
  { status, body }: ProviderResponse,
  message: SmsMessage,
): ReadAnswer {
  const code = body === undefined ? undefined : find(gateway.code, body);
  const fits = (rule: AnswerRule): boolean =>
    (rule.status === undefined || rule.status.some((each) => isStatus(status, each))) &&
    (rule.code === undefined || (code !== undefined && rule.code.includes(code)));
  const rule = [...gateway.answers, ...USUAL_RULES].find(fits);
  return {
    class: rule?.class ?? 'unknown',
    // A code that the table lists is none of the message's words.
    code: code === undefined || (rule?.code === undefined && isPersonal(code, message)) ? undefined : code,
    meaning: rule?.meaning,
    pauseMs: rule?.pauseSeconds === undefined ? undefined : rule.pauseSeconds * 1000,
  };
}

/** Returns the outcome that a request has for its message. */
export function outcomeOf(gateway: Gateway, result: ProviderResult, message: SmsMessage): Outcome {
  if (result.kind === 'not-written') return { kind: 'failing', reason: result.reason };
  if (result.kind === 'no-response') return { kind: 'unknown', reason: result.reason };

  const { status, body } = result;
  const answer = readAnswer(gateway, result, message);
  const said = { status, detail: answer.code, meaning: answer.meaning, gateway: gateway.name };
  const retryAfterMs = result.retryAfterMs ?? answer.pauseMs;
  switch (answer.class) {
    case 'accepted': {
      const providerId =
        body === undefined ? undefined : find(gateway.providerId, body)?.slice(0, LONGEST_ID);
      const parts = Number((body === undefined ? undefined : find(gateway.parts, body)) ?? Number.NaN);
      const counted = Number.isSafeInteger(parts) && parts > 0 ? { parts } : {};
      return { kind: 'sent', providerId, status, ...counted };
    }
    case 'busy':
      return { kind: 'busy', reason: { code: 'provider_busy', ...said }, retryAfterMs, status };
    case 'retry':
      return { kind: 'failing', reason: { code: 'provider_failing', ...said }, retryAfterMs, status };
    case 'rejected':
      return { kind: 'refused', reason: { code: 'provider_rejected', ...said }, status };
    case 'stopped':
      return { kind: 'stopped', reason: { code: 'account_stopped', ...said }, status };
    case 'unknown': {
      const reason: Reason =
        body === undefined ? { code: 'answer_unreadable' } : { code: 'answer_unmatched', ...said };
      return { kind: 'unknown', reason, status };
    }
  }
}

function isStatus(status: number, wanted: number | string): boolean {
  return typeof wanted === 'number' ? status === wanted : String(status).startsWith(wanted.charAt(0));
}

/** Returns the first text that stands at one of the places. */
export function find(places: readonly AnswerPlace[] | undefined, body: string): string | undefined {
  for (const place of places ?? []) {
    const text = textAt(place, body)?.trim();
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

function textAt(place: AnswerPlace, body: string): string | undefined {
  if ('pattern' in place) return Object.values(place.pattern.find(body) ?? {})[0] ?? undefined;
  const found = 'json' in place ? atPointer(body, place.json) : atElement(body, place.xml);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : undefined;
}

/** RFC 6901. */
function atPointer(body: string, pointer: string): unknown {
  let at: unknown;
  try {
    at = JSON.parse(body);
  } catch {
    return undefined;
  }
  for (const step of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, step.replaceAll('~1', '/').replaceAll('~0', '~')) as unknown;
  }
  return at;
}

/** The text of an element; its path leaves the root out. */
function atElement(body: string, path: string): string | undefined {
  let element;
  try {
    element = create(body).root();
  } catch {
    return undefined;
  }
  for (const step of path.split('/')) {
    element = element.find((child) => localName(child.node.nodeName) === step, false);
    if (element === undefined) return undefined;
  }
  return element.node.textContent ?? undefined;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Tells whether a word may come from the message: from its text, or from its number in any form. */
function isPersonal(word: string, { phone, text }: SmsMessage): boolean {
  if (word.length > LONGEST_CODE || !/^[\w.-]+$/.test(word)) return true;
  if (text.split(/[^\w.-]+/).includes(word)) return true;
  const digits = word.replace(/\D/g, '');
  return digits.length >= PHONE_DIGITS || (digits.length >= 3 && phone.endsWith(digits));
}
