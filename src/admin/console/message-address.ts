import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import {
  type DeliveryFilter,
  MESSAGE_CHANNELS,
  STATE_CHOICES,
  REASON_CODES,
  RECEIPT_CHOICES,
} from '../../store';
import { type FilterContext, toFilter, FormError, type MessageNaming } from '../reports/message-filter';

/** Parsed query of an address, or fields of a form. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a text from an address or a form; undefined for a missing or blank one. No database accepts a NUL.
 */
export function fieldText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll('\0', '').trim();
  return text === '' ? undefined : text;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals texts that must not appear in addresses, which logs, histories and bookmarks store: they are
 * encrypted with a key of this process, and useless to anyone else or later.
 */
export class SealedTexts {
  readonly #key = randomBytes(32);

  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** @returns undefined unless this process sealed it */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
      return text + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}

/** Fields of the filter form. */
export const TEXT_FIELDS = ['school', 'class', 'student', 'note', 'request'] as const;
const TIME_FIELDS = ['newer-than', 'older-than'] as const;
/** Fields of an address about messages, in its order; `phone` is sealed. */
const ADDRESS_FIELDS = [
  'phone',
  'channel',
  'state',
  'receipt',
  'reason',
  'held',
  ...TEXT_FIELDS,
  ...TIME_FIELDS,
  'id',
] as const;
type AddressField = (typeof ADDRESS_FIELDS)[number];

/** Values of an address or a form, field by field; missing or empty ones are ignored. */
export type AddressTexts = Readonly<Partial<Record<AddressField, string | undefined>>>;

const LONGEST_TEXT = 2048;

/** Reads the fields of an address or of a form, and ignores others. */
export function addressTexts(query: Fields): AddressTexts {
  return Object.fromEntries(
    ADDRESS_FIELDS.flatMap((field) => {
      const text = fieldText(query[field])?.slice(0, LONGEST_TEXT);
      return text === undefined ? [] : [[field, text]];
    }),
  );
}

/** Tells whether an address asks for more than a time. */
export function isFiltered(texts: AddressTexts): boolean {
  return ADDRESS_FIELDS.some(
    (field) => texts[field] !== undefined && !TIME_FIELDS.some((time) => time === field),
  );
}

/** Returns the query of an address, with its question mark; empty without any values. */
export function queryText(
  texts: AddressTexts,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const query = new URLSearchParams();
  const all = [...ADDRESS_FIELDS.map((field) => [field, texts[field]] as const), ...Object.entries(more)];
  for (const [name, value] of all) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** A parsed filter, with the unsealed number if there is one. */
export interface SelectedMessages {
  readonly filter: DeliveryFilter;
  readonly phone: string | undefined;
}

/** @throws FormError with a text for the person who filled in the form */
export function selectMessages(
  texts: AddressTexts,
  { sealed, ...context }: FilterContext & { readonly sealed: SealedTexts },
): SelectedMessages {
  const phone = texts.phone === undefined ? undefined : sealed.open(texts.phone);
  if (texts.phone !== undefined && phone === undefined) {
    throw new FormError(
      'The phone number in this link is no longer valid, because the service has restarted. Enter it again.',
    );
  }
  return { filter: toFilter(toNaming(texts, phone), context), phone };
}

/** Returns the selection of an address, with the number unsealed if possible. */
export function toNaming(texts: AddressTexts, phone = texts.phone): MessageNaming {
  return {
    ...Object.fromEntries(
      TEXT_FIELDS.flatMap((field) => (texts[field] === undefined ? [] : [[field, texts[field]]])),
    ),
    ...(phone !== undefined && { phone }),
    ...choice('state', texts.state, STATE_CHOICES),
    ...choice('receipt', texts.receipt, RECEIPT_CHOICES),
    ...choice('channel', texts.channel, MESSAGE_CHANNELS),
    ...choice('reason', texts.reason, REASON_CODES),
    ...(texts.held !== undefined && { held: texts.held === 'none' ? 'none' : Number(texts.held) || 0 }),
    ...(texts['newer-than'] !== undefined && { newerThan: texts['newer-than'] }),
    ...(texts['older-than'] !== undefined && { olderThan: texts['older-than'] }),
    ...(texts.id !== undefined && { ids: [texts.id] }),
  };
}

function choice<Name extends 'channel' | 'reason' | 'receipt' | 'state', Value extends string>(
  name: Name,
  text: string | undefined,
  values: readonly Value[],
): Partial<Record<Name, Value>> {
  if (text === undefined) return {};
  const value = values.find((each) => each === text);
  if (value === undefined)
    throw new FormError({
      text: 'Unknown {field} “{text}”. Expected one of: {values}.',
      values: { field: { text: name }, text, values: values.join(', ') },
    });
  // It has exactly the given name.
  return { [name]: value } as Partial<Record<Name, Value>>;
}
