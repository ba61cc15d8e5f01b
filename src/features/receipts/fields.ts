import * as z from 'zod';

import type { DescribedGateway, ReceiptFields } from '../../delivery';
import { code, furtherRequest, list, oneOrMore, places } from '../../delivery/gateways/request-schema';

/** The field with the keys of signatures. */
export const KEY = ['receipts', 'signature', 'key'];
/** Matches the end of the address for a gateway's receipts. */
const RECEIPT_PATH = /^https?:\/\/[^?#]*\/receipts\/([^/?#]+)\/([\w-]{16,128})$/;

/** `waiting` is a status after which another one follows. */
const receiptRule = z.strictObject({
  status: oneOrMore(code).optional(),
  code: oneOrMore(code).optional(),
  state: z.enum(['delivered', 'undelivered', 'waiting']),
  meaning: z.string().min(1).max(200).optional(),
});

/** A request by which a gateway that does not call is asked for receipts, with the ids at {providerIds}. */
const receiptRequest = furtherRequest
  .extend({
    /** Maximum number of ids in a request: separated by commas, or the members of a JSON list. */
    ids: z.int().min(1).max(1000).default(1),
  })
  .refine((request) => JSON.stringify(request).includes('{providerIds}'), 'must contain {providerIds}');

/**
 * Describes how a gateway reports what became of an SMS: it calls, or is asked. A form or a query is read as
 * a JSON object.
 */
const receipts = z
  .strictObject({
    /** A template for the address that the gateway calls; where it is empty, no receipts are expected. */
    url: z.string().min(1).optional(),
    request: receiptRequest.optional(),
    /** Default: the body is one receipt. */
    list: list.optional(),
    /** Default: the one id that was asked for. */
    providerId: places.optional(),
    /** Character between the values of several receipts in each of these fields. */
    separator: z.string().length(1, 'must be one character').optional(),
    status: places,
    code: places.optional(),
    /**
     * ISO 8601, DD.MM.YYYY HH:MM:SS, or seconds or milliseconds since 1970; default: when the receipt
     * arrives.
     */
    time: places.optional(),
    /** Time zone of times that name none; without it, they are ignored. */
    offset: z
      .string()
      .regex(/^[+-]\d\d:\d\d$/, 'is not an offset from UTC such as +03:00')
      .optional(),
    parts: places.optional(),
    /** The first that fits counts. */
    states: z.array(receiptRule).min(1),
    /** Body of the answer to a call, which some gateways wait for. */
    reply: z.string().max(200).default(''),
    /**
     * How calls are signed beside the secret in their address: with one of the keys, several while one is
     * replaced. If all are empty, no signature is checked.
     */
    signature: z.strictObject({ type: z.enum(['twilio', 'vonage']), key: oneOrMore(z.string()) }).optional(),
  })
  .refine(({ url, request }) => url === undefined || request === undefined, 'has both "url" and "request"')
  .refine(({ providerId, request }) => providerId !== undefined || request?.ids === 1, 'needs "providerId"')
  .refine(
    ({ code: place, states }) => place !== undefined || states.every((each) => each.code === undefined),
    'needs "code", because its states match codes',
  );
export type ReceiptDescription = z.output<typeof receipts>;

/** Fields of a gateway in GATEWAYS_FILE. */
export const FIELDS = { receipts: receipts.optional() };

/** Lists the fields of each object, for suggestions. */
export const PLACES: ReceiptFields['places'] = [
  ['"receipts" > "request"', Object.keys(receiptRequest.shape)],
  ['"receipts"', Object.keys(receipts.shape)],
  ['a rule in "states"', Object.keys(receiptRule.shape)],
];

/** Reads how a gateway reports what became of SMS. @throws SettingError */
export const readAwaited: ReceiptFields['read'] = (gateway) => {
  const { signature, request, states = [] } = gateway.receipts ?? {};
  const address = readAddress(gateway);
  // A wrong key would be found with the first receipt.
  if (address !== undefined) for (const key of signature?.key ?? []) gateway.fill(KEY, key);
  return { address, request, rules: { 'receipts > states': states } };
};

function readAddress({ name, receipts: described, values, fill, refusal }: DescribedGateway) {
  if (described === undefined || described.request !== undefined) return undefined;
  if (described.url === undefined && values['receiptUrl'] === undefined)
    throw refusal(['receipts'], 'needs "url", or "receiptUrl" among the values, or "request"');
  const url = fill(['receipts', 'url'], described.url ?? '{receiptUrl}');
  if (url === '') return undefined;
  const [, gateway, secret] = RECEIPT_PATH.exec(url) ?? [];
  if (gateway === name && secret !== undefined) return { url, secret };
  const reason = `needs a URL that ends in /receipts/${name}/SECRET, with 16 to 128 letters or digits as the secret`;
  throw refusal(['receiptUrl'], reason);
}
