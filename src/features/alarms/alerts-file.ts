import { domainToASCII } from 'node:url';

import * as z from 'zod';

import { type Config, entryName, parseChecked, readOperatorFile } from '../../config';
import { attempted, type Finding } from '../../support/errors';
import { SEVERITIES } from '../../admin/alerts/rule';

const secret = z.string().min(16, 'must have at least 16 characters').max(1000);
const host = z.string().regex(/^[A-Za-z0-9.:_-]{1,255}$/, 'is not a valid host name or address');

const LOCAL_PART = /^(?!\.)(?!.*\.\.)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.)$/;
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])$/;

/** A mailbox with its display name, which may be empty; the domain as DNS knows it. */
interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/**
 * Reads an address alone, or in angle brackets after a name, which may be in quotes; undefined for anything
 * else.
 */
function readMailbox(text: string): Mailbox | undefined {
  const trimmed = text.trim();
  const open = trimmed.indexOf('<');
  const name = trimmed
    .slice(0, Math.max(open, 0))
    .trim()
    .replace(/^"([^"]*)"$/, '$1');
  if (/["<>\p{Cc}]/u.test(name) || (open >= 0 && !trimmed.endsWith('>'))) return undefined;
  const written = open < 0 ? trimmed : trimmed.slice(open + 1, -1);
  const at = written.lastIndexOf('@');
  const [local, domain] = [written.slice(0, Math.max(at, 0)), domainToASCII(written.slice(at + 1))];
  return LOCAL_PART.test(local) && DOMAIN.test(domain) ? { name, address: `${local}@${domain}` } : undefined;
}

const mailbox = z.string().transform((text, context): Mailbox => {
  const read = readMailbox(text);
  if (read !== undefined) return read;
  context.addIssue('is not a valid e-mail address');
  return z.NEVER;
});

/** Port on which mail servers speak TLS from the first byte (RFC 8314, section 3.3). */
const TLS_PORT = 465;

const email = z
  .strictObject({
    host,
    port: z.int().min(1).max(65_535).default(587),
    /** `starttls` refuses a server without it, `tls` encrypts from the first byte. */
    encryption: z.enum(['starttls', 'tls', 'none']).optional(),
    user: z.string().min(1).optional(),
    password: z.string().min(1).optional(),
    /** Name in EHLO; strict servers refuse an address. Default: the domain of `from`. */
    ehlo: host.optional(),
    from: mailbox,
    to: z.array(mailbox).min(1).max(20),
  })
  .refine((given) => (given.user === undefined) === (given.password === undefined), {
    error: 'needs both user and password, or neither',
  })
  .transform(({ encryption, ehlo, ...given }) => ({
    ...given,
    encryption: encryption ?? (given.port === TLS_PORT ? 'tls' : 'starttls'),
    ehlo: ehlo ?? given.from.address.slice(given.from.address.lastIndexOf('@') + 1),
  }));

const webhook = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'is not a valid http or https URL' }),
  /** Key of the signature; without it, requests are not signed. */
  secret: secret.optional(),
  /** JSON to send instead of the default; names in braces in its texts are filled in. */
  body: z.json().optional(),
});

const content = z.strictObject({
  /** Address of the console for links; default: where it listens. */
  console: z.url({ protocol: /^https?$/, error: 'is not a valid http or https URL' }).optional(),
  receivers: z.record(
    entryName,
    z
      .strictObject({
        /** The least severe alerts that it gets. */
        severity: z.enum(SEVERITIES).default('warning'),
        email: email.optional(),
        webhook: webhook.optional(),
      })
      .refine((receiver) => (receiver.email === undefined) !== (receiver.webhook === undefined), {
        error: 'needs either email or webhook',
      }),
  ),
});

export type AlertsFile = Readonly<z.output<typeof content>>;
export type EmailAddress = z.output<typeof email>;
export type WebhookAddress = z.output<typeof webhook>;

/**
 * @throws OperatorError when the file cannot be read or is invalid; it shows nothing of the file but names
 */
export function readAlertsFile(path: string): AlertsFile {
  return parseChecked(readOperatorFile(path, 'ALERTS_FILE'), content);
}

/** Finds out whether ALERTS_FILE can be used. */
export function alertsFileFindings({ ALERTS_FILE: file }: Config): readonly Finding[] {
  return attempted(() => {
    if (file !== undefined) readAlertsFile(file);
    return [];
  });
}
