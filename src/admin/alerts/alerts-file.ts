import { z } from 'zod';

import { parseChecked, readOperatorFile } from '../../config';
import { SEVERITIES } from './rule';

const secret = z.string().min(16, 'must have at least 16 characters').max(1000);
const host = z.string().regex(/^[A-Za-z0-9.:_-]{1,255}$/, 'is not a valid host name or address');
const address = z.email('is not a valid e-mail address');

const email = z
  .strictObject({
    host,
    port: z.int().min(1).max(65_535).default(587),
    /** `starttls` refuses a server without it, `tls` encrypts from the first byte. */
    encryption: z.enum(['starttls', 'tls', 'none']).default('starttls'),
    user: z.string().min(1).optional(),
    password: z.string().min(1).optional(),
    from: address,
    to: z.array(address).min(1).max(20),
  })
  .refine((given) => (given.user === undefined) === (given.password === undefined), {
    error: 'needs both user and password, or neither',
  });

const webhook = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'is not a valid http or https URL' }),
  /** Key of the signature; without it, requests are not signed. */
  secret: secret.optional(),
  /** JSON to send instead of the default; names in braces in its texts are filled in. */
  body: z.json().optional(),
});

const content = z.strictObject({
  receivers: z.record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'is not a valid name (letters, digits, . _ -)'),
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

export type WrittenReceivers = Readonly<z.output<typeof content>['receivers']>;
export type EmailAddress = z.output<typeof email>;
export type WebhookAddress = z.output<typeof webhook>;

/** @throws OperatorError when the file cannot be read or is invalid; it shows nothing of the file but names */
export function readAlertsFile(path: string): WrittenReceivers {
  return parseChecked(readOperatorFile(path, 'ALERTS_FILE'), content).receivers;
}
