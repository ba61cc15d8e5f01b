import { createHmac } from 'node:crypto';

import { type ProxyOptions } from '../../config';
import { errorMessage, errorWord } from '../../support/errors';
import type { EmailAddress, WebhookAddress, WrittenReceivers } from './alerts-file';
import { filled } from '../../support/phrase';
import type { Severity } from './rule';

const TIMEOUT_MS = 10_000;

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

/** A mailbox or webhook that gets alerts. */
export interface Receiver {
  readonly name: string;
  readonly severity: Severity;
  /**
   * Sends a notification; a connection that is silent for ten seconds fails.
   *
   * @returns the answer, in a line
   * @throws Error with a line that says why it was not accepted
   */
  readonly send: (notification: Notification) => Promise<string>;
}

export function openReceivers(written: WrittenReceivers, proxy: ProxyOptions): readonly Receiver[] {
  return Object.entries(written).map(([name, { severity, email, webhook }]) => ({
    name,
    severity,
    send: async (notification) => {
      if (email !== undefined) return sendEmail(email, notification);
      if (webhook !== undefined) return postWebhook(webhook, notification, proxy);
      throw new Error('A receiver has an address');
    },
  }));
}

async function sendEmail(address: EmailAddress, notification: Notification): Promise<string> {
  const { host, port, encryption, user, password, from, to } = address;
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  try {
    const { response } = await transport.sendMail({
      ...{ from, to: [...to], subject: mailSubject(notification), text: mailText(notification) },
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return response;
  } finally {
    transport.close();
  }
}

const EVENTS = { started: '', reminder: 'Still active: ', ended: 'Resolved: ', test: 'Test: ' } as const;

/** Returns a line such as `Resolved: Codes are not delivered (critical)`. */
function mailSubject({ event, summary, severity }: Notification): string {
  return `${EVENTS[event]}${summary} (${severity})`;
}

function mailText(notification: Notification): string {
  const { event, description, advice, alert, since, node } = notification;
  return [
    mailSubject(notification),
    ...(event === 'ended' ? [] : [description, advice]),
    `Alert ${alert}, since ${since}. Sent by ${node}.`,
    '',
  ].join('\n\n');
}

async function postWebhook(
  { url, secret, body = null }: WebhookAddress,
  notification: Notification,
  proxy: ProxyOptions,
): Promise<string> {
  const { EnvHttpProxyAgent, request } = await import('undici');
  const fields: Readonly<Record<string, string>> = { ...notification, text: mailText(notification).trim() };
  const content = JSON.stringify(body === null ? notification : withTexts(body, (name) => fields[name]));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const dispatcher = new EnvHttpProxyAgent(proxy);
  try {
    const { statusCode, body: answer } = await request(url, {
      method: 'POST',
      dispatcher,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'Content-Type': 'application/json',
        ...(secret === undefined
          ? {}
          : { 'X-Alert-Timestamp': timestamp, 'X-Alert-Signature': signature(secret, timestamp, content) }),
      },
      body: content,
    });
    await answer.dump();
    if (statusCode < 200 || statusCode > 299) throw new Error(`HTTP ${String(statusCode)}`);
    return `HTTP ${String(statusCode)}`;
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
