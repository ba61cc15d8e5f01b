import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { hostname } from 'node:os';

import type { NodemailerError } from 'nodemailer';

import { type Config, type ProxyConfig, proxyOptions, type ProxyOptions } from '../../config';
import { errorMessage, errorWord } from '../../support/errors';
import { filled } from '../../support/phrase';
import { TimeText } from '../../admin/reports/time-text';
import type { AlertsFile, EmailAddress, WebhookAddress } from './alerts-file';
import type { Severity } from '../../admin/alerts/rule';

/** A connection that is silent for this time fails. */
const TIMEOUT_MS = 10_000;
/** Time limit for a whole mail: a server could send a byte now and then for ever. */
const MAIL_MS = 20_000;

export interface Notification {
  readonly event: 'started' | 'reminder' | 'ended' | 'test';
  /** Name of the rule. */
  readonly alert: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly description: string;
  readonly advice: string;
  /** When the alert started, in ISO 8601. */
  readonly since: string;
  readonly node: string;
}

/** Describes what a mail has beyond the notification. */
export interface MailDetails {
  /** Name of the school, or the number of schools; empty if unknown. */
  readonly school: string;
  /** Path of the console's page with more. */
  readonly page: string;
  /** Addresses that get the mail; default: all of the receiver. */
  readonly to?: readonly string[] | undefined;
}

/** A recipient whose mail server took the mail for others only. */
export interface RefusedRecipient {
  readonly address: string;
  /** The server's answer, in a line. */
  readonly reason: string;
  /** True if the server may take it later (RFC 5321, section 4.2.1: 4yz). */
  readonly isTemporary: boolean;
}

export interface Receipt {
  /** The receiver's answer, in a line. */
  readonly answer: string;
  readonly refused: readonly RefusedRecipient[];
}

/** Thrown if a receiver answered that it does not accept this notification; it may accept others. */
export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
}

/** A mailbox or webhook that gets alerts. */
export interface Receiver {
  readonly name: string;
  readonly severity: Severity;
  /**
   * Sends a notification; a connection that is silent for ten seconds fails.
   *
   * @throws NotAccepted, or another Error with a line that says why nothing can be sent
   */
  readonly send: (notification: Notification, details: MailDetails) => Promise<Receipt>;
}

/** Settings that receivers use. */
type ReceiverSettings = ProxyConfig & Pick<Config, 'ADMIN_PORT' | 'ADMIN_HOST' | 'TIME_ZONE'>;

/** @param timeoutMs - of a silent connection; a whole mail may take twice as long */
export function openReceivers(
  { receivers, console }: AlertsFile,
  settings: ReceiverSettings,
  timeoutMs = TIMEOUT_MS,
): readonly Receiver[] {
  const proxy = proxyOptions(settings);
  const address = console ?? consoleAddress(settings);
  const clock = new TimeText(settings.TIME_ZONE);
  return Object.entries(receivers).map(([name, { severity, email, webhook }]) => ({
    name,
    severity,
    send: async (notification, details) => {
      const { page, school } = details;
      const link = address === undefined ? '' : `${address.replace(/\/$/, '')}${page}`;
      const text = mailText(notification, { school, link, clock });
      if (email !== undefined) {
        const content = { subject: mailSubject(notification, school), text };
        return sendEmail(email, content, details.to, timeoutMs);
      }
      const fields = { ...notification, text: text.trim(), school, link };
      if (webhook !== undefined) return postWebhook(webhook, notification, fields, proxy, timeoutMs);
      throw new Error('A receiver has an address');
    },
  }));
}

/** Returns where the console listens; undefined if it is off. */
function consoleAddress({ ADMIN_PORT: port, ADMIN_HOST: host = hostname() }: ReceiverSettings) {
  return port === undefined ? undefined : `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

async function sendEmail(
  { host, port, encryption, user, password, ehlo, from, to }: EmailAddress,
  content: { readonly subject: string; readonly text: string },
  only: readonly string[] | undefined,
  timeoutMs: number,
): Promise<Receipt> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    name: ehlo,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), (timeoutMs * MAIL_MS) / TIMEOUT_MS);
  const tooLate = once(late.signal, 'abort').then(() => {
    throw new Error('The mail server takes too long.');
  });
  const addresses = to.map(({ address }) => address);
  try {
    const sending = transport.sendMail({
      ...{ from: { ...from }, to: to.map((mailbox) => ({ ...mailbox })), ...content },
      envelope: { from: from.address, to: addresses.filter((each) => only?.includes(each) ?? true) },
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    const { response, rejectedErrors = [] } = await Promise.race([sending, tooLate]);
    return { answer: response, refused: rejectedErrors.map(refusedRecipient) };
  } catch (error) {
    const { code, rejectedErrors = [] } = error as Partial<NodemailerError>; // Others have none of these.
    const reasons = rejectedErrors
      .map(refusedRecipient)
      .map(({ address, reason }) => `${address}: ${reason}`);
    if (code !== 'EENVELOPE' && code !== 'EMESSAGE') throw error;
    throw new NotAccepted(reasons.join('; ') || errorMessage(error), { cause: error });
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

function refusedRecipient({ recipient, response, responseCode }: NodemailerError): RefusedRecipient {
  return {
    address: recipient ?? '',
    reason: response?.split('\n')[0] ?? '',
    isTemporary: responseCode !== undefined && responseCode < 500,
  };
}

const EVENTS = { started: '', reminder: 'Still active: ', ended: 'Resolved: ', test: 'Test: ' } as const;

/** Returns a line such as `Example School: Resolved: Codes are not delivered (critical)`. */
function mailSubject({ event, summary, severity }: Notification, school: string): string {
  return `${school === '' ? '' : `${school}: `}${EVENTS[event]}${summary} (${severity})`;
}

interface MailFacts {
  readonly school: string;
  /** Address of the console's page; empty if the console is off. */
  readonly link: string;
  readonly clock: TimeText;
}

function mailText(notification: Notification, { school, link, clock }: MailFacts): string {
  const { event, description, advice, alert, since, node } = notification;
  return [
    mailSubject(notification, school),
    ...(event === 'ended' ? [] : [description, advice]),
    ...(link === '' ? [] : [`Console: ${link}`]),
    `Alert ${alert}, since ${clock.of(Date.parse(since))} (${clock.zone}). Sent by ${node}.`,
    '',
  ].join('\n\n');
}

async function postWebhook(
  { url, secret, body = null }: WebhookAddress,
  notification: Notification,
  fields: Readonly<Record<string, string>>,
  proxy: ProxyOptions,
  timeoutMs: number,
): Promise<Receipt> {
  const { EnvHttpProxyAgent, request } = await import('undici');
  const textFor = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const content = JSON.stringify(body === null ? notification : withTexts(body, textFor));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const dispatcher = new EnvHttpProxyAgent(proxy);
  try {
    const { statusCode, body: answer } = await request(url, {
      method: 'POST',
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'Content-Type': 'application/json',
        ...(secret === undefined
          ? {}
          : { 'X-Alert-Timestamp': timestamp, 'X-Alert-Signature': signature(secret, timestamp, content) }),
      },
      body: content,
    });
    await answer.dump();
    if (statusCode < 200 || statusCode > 299) throw new NotAccepted(`HTTP ${String(statusCode)}`);
    return { answer: `HTTP ${String(statusCode)}`, refused: [] };
  } finally {
    await dispatcher.destroy();
  }
}

/** Signs the time in seconds since 1970, a full stop, and the body; returns hexadecimal digits. */
function signature(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Fills in every text of a JSON value. */
function withTexts(value: unknown, textFor: (name: string) => string | undefined): unknown {
  if (typeof value === 'string') return filled(value, textFor);
  if (Array.isArray(value)) return value.map((each: unknown) => withTexts(each, textFor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each, textFor)]));
}

/** Returns why sending failed, in a line without the address. */
export function failureText(error: unknown): string {
  const message = errorMessage(error).split('\n')[0] ?? '';
  return message === '' ? errorWord(error) : message;
}
