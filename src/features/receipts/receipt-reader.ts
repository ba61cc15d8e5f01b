import { createHmac } from 'node:crypto';

import { AnswerBody, BodyTooComplex, fixedText, type Gateway, isCode, LONGEST_ID } from '../../delivery';
import { hasDigest, isSameSecret, sha256 } from '../../support/same-secret';
import { KEY, type ReceiptDescription } from './fields';
import type { Receipt, UnmatchedReceipt } from './stored-receipts';

/**
 * Report of a gateway on one SMS: `waiting` if another receipt follows, `unreadable` if it does not name an
 * SMS, and an {@link UnmatchedReceipt} if no rule fits.
 */
export type ReadReceipt = Receipt | UnmatchedReceipt | 'waiting' | 'unreadable';

/** Returns true for a report of an end. */
export function isReceipt(read: ReadReceipt): read is Receipt {
  return typeof read !== 'string' && 'state' in read;
}

/** A call by which a gateway reports what became of SMS. */
export interface ReceiptCall {
  readonly method: 'GET' | 'POST';
  /** Without the question mark. */
  readonly query: string;
  /** Media type of the body; empty if there is none. */
  readonly contentType: string;
  readonly body: string;
  header(name: string): string | undefined;
}

/** Maximum number of receipts in a call or an answer. */
const MAX_RECEIPTS = 1000;
/** Maximum age of receipts and difference between clocks; other times are ignored. */
const OLDEST_MS = 48 * 60 * 60_000;
const FUTURE_MS = 5 * 60_000;

export class ReceiptReader {
  readonly #gateway: string;
  readonly #description: ReceiptDescription;
  readonly #url: string;
  readonly #secret: Buffer;
  /** None if calls need no signature. */
  readonly #keys: readonly string[];

  /** @returns undefined for a gateway that sends no receipts */
  static of(gateway: Gateway): ReceiptReader | undefined {
    const { receipts, awaited } = gateway;
    if (receipts === undefined || awaited?.address === undefined) return undefined;
    return new ReceiptReader(gateway, receipts, awaited.address);
  }

  private constructor(
    gateway: Gateway,
    description: ReceiptDescription,
    { url, secret }: { readonly url: string; readonly secret: string },
  ) {
    this.#gateway = gateway.name;
    this.#description = description;
    this.#url = url;
    this.#secret = sha256(secret);
    this.#keys = (description.signature?.key ?? [])
      .map((key) => fixedText(gateway, KEY, key))
      .filter((key) => key !== '');
  }

  /** Body of the answer to a call. */
  get reply(): string {
    return this.#description.reply;
  }

  /** Compares in constant time. */
  isSecret(secret: string): boolean {
    return hasDigest(secret, this.#secret);
  }

  /**
   * Reads a call with the right secret.
   *
   * @param now - milliseconds since 1970 UTC
   * @returns undefined if the signature is missing or wrong
   * @throws BodyTooComplex
   */
  read(call: ReceiptCall, now: number): readonly ReadReceipt[] | undefined {
    if (this.#keys.length > 0 && !this.#keys.some((key) => this.#isSigned(call, key, now))) return undefined;
    return readCall(this.#gateway, this.#description, call, now);
  }

  #isSigned(call: ReceiptCall, key: string, now: number): boolean {
    switch (this.#description.signature?.type) {
      case 'twilio': {
        const given = call.header('x-twilio-signature') ?? '';
        return twilioAddresses(this.#url).some((url) => isSameSecret(given, twilioSignature(url, key, call)));
      }
      case 'vonage':
        return isVonageToken(call, key, now);
      case undefined:
        return true;
    }
  }
}

/**
 * Reads a call from a file, without its signature: a form or a query, JSON, or whatever the description
 * expects.
 *
 * @throws BodyTooComplex
 */
export function readReceiptFile(
  { name, receipts }: Pick<Gateway, 'name' | 'receipts'>,
  text: string,
  now: number,
): readonly ReadReceipt[] {
  if (receipts === undefined) return [];
  const body = text.trim();
  const isText = /^[[{<]/.test(body) || receipts.request !== undefined;
  const contentType = isText ? '' : 'application/x-www-form-urlencoded';
  const call = {
    method: 'POST',
    query: '',
    contentType,
    body: isText ? body : body.replace(/^[^?]*\?/, ''),
  } as const;
  return readCall(name, receipts, { ...call, header: () => undefined }, now);
}

function readCall(
  gateway: string,
  described: ReceiptDescription,
  call: ReceiptCall,
  now: number,
): readonly ReadReceipt[] {
  const fields = [...new URLSearchParams(call.query), ...readFields(call)];
  const text = isForm(call) ? JSON.stringify(Object.fromEntries(fields)) : call.body;
  const description = isForm(call) ? { ...described, list: undefined } : described;
  return readReceipts(gateway, description, text, now);
}

/**
 * @param askedFor - id of the SMS that the body is about, if it need not say it
 * @throws BodyTooComplex
 */
export function readReceipts(
  gateway: string,
  description: ReceiptDescription,
  text: string,
  now: number,
  askedFor?: string,
): readonly ReadReceipt[] {
  const body = new AnswerBody(text);
  const all = description.list === undefined ? [body] : body.members(description.list);
  const receipts = all.flatMap((each) => readReceipt(gateway, description, each, now, askedFor));
  if ([body, ...all].some(({ isTooComplex }) => isTooComplex)) throw new BodyTooComplex();
  return receipts.slice(0, MAX_RECEIPTS);
}

/** Reads one receipt, or several whose values are separated in each field. */
function readReceipt(
  gateway: string,
  { providerId, separator, status, code, time, offset, parts, states }: ReceiptDescription,
  body: AnswerBody,
  now: number,
  askedFor: string | undefined,
): readonly ReadReceipt[] {
  const split = (text: string): readonly string[] =>
    separator === undefined ? [text] : text.split(separator).map((each) => each.trim());
  const read = (places: typeof code, isKnown?: (text: string) => boolean): readonly string[] => {
    const text = body.find(places, isKnown && ((whole) => split(whole).some(isKnown)));
    return text === undefined ? [] : split(text);
  };
  const ids = providerId === undefined ? [askedFor] : read(providerId);
  const fields = {
    statuses: read(status, (text) => states.some((each) => each.status?.includes(text))),
    codes: read(code, (text) => states.some((each) => each.code?.includes(text))),
    times: read(time),
    parts: read(parts),
  };
  if (ids.length === 0) return ['unreadable'];
  return ids.map((id, at) => {
    // One value may be for all of them.
    const own = (values: readonly string[]): string | undefined =>
      values.length === ids.length || ids.length === 1
        ? values[at]
        : values.length === 1
          ? values[0]
          : undefined;
    if (id === undefined || id === '' || id.length > LONGEST_ID) return 'unreadable';
    const written = { status: own(fields.statuses), code: own(fields.codes), parts: own(fields.parts) };
    return toReceipt({ gateway, providerId: id }, states, written, parseTime(own(fields.times), offset, now));
  });
}

interface WrittenReceipt {
  readonly status: string | undefined;
  readonly code: string | undefined;
  readonly parts: string | undefined;
}

function toReceipt(
  sms: Pick<Receipt, 'gateway' | 'providerId'>,
  states: ReceiptDescription['states'],
  { status, code, parts: written }: WrittenReceipt,
  time: Pick<Receipt, 'at' | 'isExact'>,
): ReadReceipt {
  const rule = states.find(
    (each) =>
      (each.status === undefined || (status !== undefined && each.status.includes(status))) &&
      (each.code === undefined || (code !== undefined && each.code.includes(code))),
  );
  const shown = (...words: readonly (string | undefined)[]): string | undefined =>
    words.find((word) => word !== undefined && word !== '0' && isCode(word));
  if (rule === undefined) return { ...sms, unmatched: shown(status, code) ?? '' };
  if (rule.state === 'waiting') return 'waiting';
  const parts = Number(written ?? Number.NaN);
  return {
    ...sms,
    state: rule.state,
    code:
      rule.state === 'delivered'
        ? null
        : [shown(code, status), rule.meaning].filter((word) => word !== undefined).join(': '),
    ...time,
    parts: Number.isSafeInteger(parts) && parts > 0 && parts < 256 ? parts : null,
  };
}

function isForm({ method, contentType }: ReceiptCall): boolean {
  return method === 'GET' || contentType === 'application/x-www-form-urlencoded';
}

function readFields({
  method,
  query,
  body,
}: ReceiptCall): readonly (readonly [name: string, value: string])[] {
  return [...new URLSearchParams(method === 'GET' ? query : body)];
}

/**
 * Returns the spellings of an address that Twilio may sign: without the user and password, and with or
 * without the port. It omits the port of some calls over HTTPS, and its own libraries accept both.
 */
function twilioAddresses(url: string): readonly string[] {
  const [, scheme = '', authority = '', rest = ''] = /^(https?:\/\/)([^/?#]*)(.*)/is.exec(url) ?? [];
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  const colon = place.lastIndexOf(':');
  const hasPort = colon > place.lastIndexOf(']');
  const host = hasPort ? place.slice(0, colon) : place;
  const port = hasPort ? place.slice(colon + 1) : undefined;
  const standardPort = scheme.toLowerCase() === 'https://' ? '443' : '80';
  return [`${scheme}${host}${rest}`, `${scheme}${host}:${port ?? standardPort}${rest}`];
}

/** Signs an address, with the fields of the form in the order of their names. */
function twilioSignature(url: string, key: string, call: ReceiptCall): string {
  const address = call.query === '' ? url : `${url}?${call.query}`;
  const fields = call.method === 'GET' ? [] : readFields(call);
  const sorted = fields.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  const signed = `${address}${sorted.map((field) => field.join('')).join('')}`;
  return createHmac('sha1', key).update(signed).digest('base64');
}

/** Checks a JWT (RFC 7519) with HS256, its time, and the digest of the body that it holds. */
function isVonageToken(call: ReceiptCall, key: string, now: number): boolean {
  const [, head = '', claims = '', signature = ''] =
    /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(call.header('authorization') ?? '') ?? [];
  if (!isSameSecret(signature, createHmac('sha256', key).update(`${head}.${claims}`).digest('base64url')))
    return false;
  const [header, token] = [head, claims].map(
    (part) => new AnswerBody(Buffer.from(part, 'base64url').toString()),
  );
  const expiry = Number(token?.find([{ json: '/exp' }]) ?? Number.POSITIVE_INFINITY);
  const hash = token?.find([{ json: '/payload_hash' }]);
  const isBody =
    hash === undefined || call.method === 'GET' || isSameSecret(hash, sha256(call.body).toString('hex'));
  return header?.find([{ json: '/alg' }]) === 'HS256' && expiry * 1000 > now - FUTURE_MS && isBody;
}

/**
 * Returns the gateway's time if it has a zone (or counts since 1970) and is plausible, otherwise the present
 * time.
 */
function parseTime(
  text: string | undefined,
  offset: string | undefined,
  now: number,
): Pick<Receipt, 'at' | 'isExact'> {
  if (/^\d{10}(?:\d{3})?$/.test(text ?? '')) return plausible(Number(text?.padEnd(13, '0')), now);
  const iso = (text ?? '').replace(/^(\d\d)\.(\d\d)\.(\d{4}) /, '$3-$2-$1T');
  const zone = /(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? '' : offset;
  const time = zone === undefined ? Number.NaN : Date.parse(iso + zone);
  return plausible(time, now);
}

function plausible(time: number, now: number): Pick<Receipt, 'at' | 'isExact'> {
  return time >= now - OLDEST_MS && time <= now + FUTURE_MS ? { at: time, isExact: true } : { at: now };
}
