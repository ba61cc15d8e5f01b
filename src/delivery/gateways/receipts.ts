import { createHmac, hash, timingSafeEqual } from 'node:crypto';

import type { ReadReceipt } from '../transports/provider-client';
import { AnswerBody, isCode, LONGEST_ID } from './answer';
import { BodyTooComplex } from './answer-xml';
import type { Gateway } from './gateway-file';
import type { ReceiptDescription } from './gateway-schema';
import { fixedText } from './request';

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
    const { receipts, receiptAddress } = gateway;
    if (receipts === undefined || receiptAddress === undefined) return undefined;
    return new ReceiptReader(gateway, receipts, receiptAddress);
  }

  private constructor(
    gateway: Gateway,
    description: ReceiptDescription,
    { url, secret }: NonNullable<Gateway['receiptAddress']>,
  ) {
    this.#gateway = gateway.name;
    this.#description = description;
    this.#url = url;
    this.#secret = digest(secret);
    this.#keys = (description.signature?.key ?? [])
      .map((key) => fixedText(gateway, ['receipts', 'signature', 'key'], key))
      .filter((key) => key !== '');
  }

  /** Body of the answer to a call. */
  get reply(): string {
    return this.#description.reply;
  }

  /** Compares in constant time. */
  isSecret(secret: string): boolean {
    return timingSafeEqual(digest(secret), this.#secret);
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
    const fields = [...new URLSearchParams(call.query), ...readFields(call)];
    const text = isForm(call) ? JSON.stringify(Object.fromEntries(fields)) : call.body;
    const description = isForm(call) ? { ...this.#description, list: undefined } : this.#description;
    return readReceipts(this.#gateway, description, text, now);
  }

  #isSigned(call: ReceiptCall, key: string, now: number): boolean {
    switch (this.#description.signature?.type) {
      case 'twilio': {
        const given = call.header('x-twilio-signature') ?? '';
        return twilioAddresses(this.#url).some((url) => isSame(given, twilioSignature(url, key, call)));
      }
      case 'vonage':
        return isVonageToken(call, key, now);
      case undefined:
        return true;
    }
  }
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
  const receipts = all.map((each) => readReceipt(gateway, description, each, now, askedFor));
  if ([body, ...all].some(({ isTooComplex }) => isTooComplex)) throw new BodyTooComplex();
  return receipts;
}

function readReceipt(
  gateway: string,
  description: ReceiptDescription,
  body: AnswerBody,
  now: number,
  askedFor: string | undefined,
): ReadReceipt {
  const providerId = description.providerId === undefined ? askedFor : body.find(description.providerId);
  const { states } = description;
  const status = body.find(description.status, (text) => states.some((each) => each.status?.includes(text)));
  const code = body.find(description.code, (text) => states.some((each) => each.code?.includes(text)));
  const rule = states.find(
    (each) =>
      (each.status === undefined || (status !== undefined && each.status.includes(status))) &&
      (each.code === undefined || (code !== undefined && each.code.includes(code))),
  );
  if (providerId === undefined || providerId.length > LONGEST_ID || rule === undefined) return 'unreadable';
  if (rule.state === 'waiting') return 'waiting';
  const parts = Number(body.find(description.parts) ?? Number.NaN);
  const shown = [
    [code, status].find((word) => word !== undefined && word !== '0' && isCode(word)),
    rule.meaning,
  ];
  return {
    gateway,
    providerId,
    state: rule.state,
    code: rule.state === 'delivered' ? null : shown.filter((word) => word !== undefined).join(': '),
    at: parseTime(body.find(description.time), description.offset, now),
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
 * Returns the spellings of an address that Twilio may sign: without the user and password, and with or without the
 * port. It omits the port of some calls over HTTPS, and its own libraries accept both.
 */
function twilioAddresses(url: string): readonly string[] {
  const [, scheme = '', host = '', port, rest = ''] =
    /^(https?:\/\/)(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d+))?(.*)$/i.exec(url) ?? [];
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
  if (!isSame(signature, createHmac('sha256', key).update(`${head}.${claims}`).digest('base64url')))
    return false;
  const [header, token] = [head, claims].map(
    (part) => new AnswerBody(Buffer.from(part, 'base64url').toString()),
  );
  const expiry = Number(token?.find([{ json: '/exp' }]) ?? Number.POSITIVE_INFINITY);
  const hash = token?.find([{ json: '/payload_hash' }]);
  const isBody =
    hash === undefined || call.method === 'GET' || isSame(hash, digest(call.body).toString('hex'));
  return header?.find([{ json: '/alg' }]) === 'HS256' && expiry * 1000 > now - FUTURE_MS && isBody;
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Returns the gateway's time if it has a zone (or counts since 1970) and is plausible, otherwise the present time. */
function parseTime(text: string | undefined, offset: string | undefined, now: number): number {
  if (/^\d{10}(?:\d{3})?$/.test(text ?? '')) return plausible(Number(text?.padEnd(13, '0')), now);
  const iso = (text ?? '').replace(/^(\d\d)\.(\d\d)\.(\d{4}) /, '$3-$2-$1T');
  const zone = /(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? '' : offset;
  const time = zone === undefined ? Number.NaN : Date.parse(iso + zone);
  return plausible(time, now);
}

function plausible(time: number, now: number): number {
  return time >= now - OLDEST_MS && time <= now + FUTURE_MS ? time : now;
}
