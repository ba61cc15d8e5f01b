import { BlockList } from 'node:net';

import * as z from 'zod';

import { BINDINGS } from '../asmx/internal';
import { entryName, parseChecked, readOperatorFile } from '../config';
import { OperatorError } from '../support/errors';
import { PROGRAM_NAME } from '../support/program-name';
import { addNetwork } from './networks';
import { parseSecretHash, type SecretHash } from './secret-hash';

/** Names that a file may use, besides those of its callers. */
export interface AccessNames {
  readonly operations: readonly string[];
  /** Returns the key of a school's URL, for comparison. */
  readonly schoolKey: (url: string) => string;
}

const secret = z.string().transform((text, context): SecretHash => {
  const hash = parseSecretHash(text);
  if (hash !== undefined) return hash;
  context.addIssue(`is not a hash; create one with ${PROGRAM_NAME} access-secret`);
  return z.NEVER;
});
const oneOrMore = <T extends z.ZodType>(one: T) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]) as unknown, z.array(one).min(1).max(8));

const basic = z.strictObject({
  user: z.string().regex(/^[^:\p{Cc}]{1,256}$/u, 'is empty, too long, or contains a colon'),
  secret: oneOrMore(secret),
});
const key = z.strictObject({
  header: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, 'is not a valid header name')
    .transform((name) => name.toLowerCase())
    .refine((name) => name !== 'authorization', 'cannot be a key header; use basic instead'),
  secret: oneOrMore(
    secret.transform((hash, context): Buffer => {
      if (hash.kind === 'sha256') return hash.digest;
      context.addIssue(
        `is an scrypt hash; a key needs a sha256 hash, see ${PROGRAM_NAME} access-secret --key`,
      );
      return z.NEVER;
    }),
  ),
});
const fingerprint = z
  .string()
  .transform((text) => text.replaceAll(':', '').toUpperCase())
  .refine((text) => /^[0-9A-F]{64}$/.test(text), 'is not a SHA-256 fingerprint');
const certificate = z
  .strictObject({
    fingerprint: fingerprint.optional(),
    subject: z.record(z.string(), z.string()).optional(),
  })
  .refine(
    (known) => (known.fingerprint === undefined) !== (known.subject === undefined),
    'needs either fingerprint or subject',
  );
const networks = z
  .array(z.string())
  .min(1)
  .transform((texts, context): BlockList => {
    const list = new BlockList();
    for (const text of texts) if (!addNetwork(list, text)) context.addIssue(`${text} is not a network`);
    return list;
  });

const mayOf = ({ operations, schoolKey }: AccessNames) => ({
  operations: z.array(z.enum(operations)).optional(),
  bindings: z.array(z.enum(BINDINGS)).optional(),
  schools: z.array(z.string().transform(schoolKey)).optional(),
  rate: z
    .strictObject({
      requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
      codesPerHour: z.int().min(0).max(1_000_000).optional(),
    })
    .default({}),
});

const contentOf = (names: AccessNames) =>
  z.strictObject({
    callers: z
      .record(
        entryName,
        z
          .strictObject({
            ...mayOf(names),
            networks: networks.optional(),
            basic: basic.optional(),
            key: key.optional(),
            certificate: certificate.optional(),
          })
          .refine(
            (caller) => caller.networks ?? caller.basic ?? caller.key ?? caller.certificate,
            'needs at least one of networks, basic, key and certificate',
          ),
      )
      .default({}),
    anonymous: z
      .strictObject({ ...mayOf(names), operations: z.array(z.enum(names.operations)) })
      .default({ operations: [], rate: {} }),
  });

export type AccessFile = z.output<ReturnType<typeof contentOf>>;
export type CallerRules = AccessFile['callers'][string];
/** Permissions of a caller; undefined allows everything. */
export type May = Pick<CallerRules, 'operations' | 'bindings' | 'schools' | 'rate'>;

/** @throws OperatorError if the file is unreadable or invalid; without any of its content but names */
export function readAccessFile(path: string, names: AccessNames): AccessFile {
  const file = readOperatorFile(path, 'ACCESS_FILE');
  const wrong = (what: string): OperatorError => new OperatorError(`${file.name}${what}`);
  const content = parseChecked(file, contentOf(names));
  refuseDoubles(content, wrong);
  return content;
}

/** Refuses credentials shared by two callers, which would not identify either. */
function refuseDoubles({ callers }: AccessFile, wrong: (what: string) => OperatorError): void {
  const owners = new Map<string, string>();
  const claim = (credential: string, name: string): void => {
    const owner = owners.get(credential);
    if (owner !== undefined)
      throw wrong(`: ${owner} and ${name} have the same ${credential.split(' ', 1)[0] ?? ''}.`);
    owners.set(credential, name);
  };
  for (const [name, rules] of Object.entries(callers)) {
    if (rules.basic !== undefined) claim(`user ${rules.basic.user}`, name);
    for (const digest of rules.key?.secret ?? []) claim(`key ${digest.toString('hex')}`, name);
  }
}
