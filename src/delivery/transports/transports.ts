import { dirname } from 'node:path';

import { type Config, outboxFile, proxyOptions, SettingError } from '../../config';
import { errorWord } from '../../support/errors';
import { readPhone } from '../../support/phones';
import { makePrivateFolder } from '../../support/private-files';
import { openToAppend } from '../../support/regular-file';
import { readGateways } from '../gateways/gateway-file';
import { openGateway } from '../gateways/sms-gateway';
import type { Watch } from './provider-client';
import { pushFcmTransport, readServiceAccount } from './push-fcm';
import type {
  PushMessage,
  ReachableTransport,
  SmsMessage,
  SmsTransport,
  SmsTransports,
  Transport,
} from './transport';

/** Creates a transport that writes each SMS to a file and sends nothing, for trials and tests. */
export function smsFileTransport(path: string): ReachableTransport<SmsMessage> {
  return fileTransport(path, ({ phone, text }) => ({ phone, text }));
}

/** Creates a transport that writes each push message to a file and sends nothing, for trials and tests. */
export function pushFileTransport(path: string): ReachableTransport<PushMessage> {
  return fileTransport(path, ({ token, platform, title, body, data }) => ({
    ...{ token, platform, title, body, data },
  }));
}

function fileTransport<Message extends { readonly id: string }>(
  path: string,
  fieldsOf: (message: Message) => object,
): ReachableTransport<Message> {
  const file = new JsonLinesFile(path);
  return {
    name: 'file',
    send: async (message) => {
      try {
        await file.append({ id: message.id, time: new Date().toISOString(), ...fieldsOf(message) });
        return { kind: 'written' };
      } catch (error) {
        return { kind: 'failing', reason: { code: 'file_not_written', error: errorWord(error) } };
      }
    },
    reach: () => Promise.resolve({ isReached: true, what: `only written to ${path}, not sent` }),
    close: () => Promise.resolve(),
  };
}

interface WaitingLine {
  readonly line: string;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

const NEWLINE = 0x0a;

/** Appends lines of JSON to a file. Lines that arrive during a write share the next write and its fsync. */
class JsonLinesFile {
  readonly #path: string;
  #waiting: WaitingLine[] = [];
  #writing = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when the line is on disk. */
  append(value: unknown): Promise<void> {
    return new Promise((written, failed) => {
      this.#waiting.push({ line: `${JSON.stringify(value)}\n`, written, failed });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.splice(0);
      try {
        await this.#write(lines.map(({ line }) => line).join(''));
        for (const { written } of lines) written();
      } catch (error) {
        for (const { failed } of lines) failed(error);
      }
    }
    this.#writing = false;
  }

  /** Opens the file for each write: the operator may move it away at any time. */
  async #write(text: string): Promise<void> {
    makePrivateFolder(dirname(this.#path));
    const file = await openToAppend(this.#path);
    try {
      const { size } = await file.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await file.read(last, 0, 1, size - 1);
      // A line truncated by a full disk or a kill stays a line of its own.
      const cut = size > 0 && last[0] !== NEWLINE;
      await file.appendFile(cut ? `\n${text}` : text);
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

/** @throws SettingError for an unusable GATEWAYS_FILE */
export function smsTransports(config: Config): ReachableSmsTransports {
  if (config.SMS_CHANNEL === 'file') {
    const transport = smsFileTransport(outboxFile(config, 'sms'));
    return { transports: [transport], routes: [{ gateways: [transport.name] }] };
  }
  if (config.GATEWAYS_FILE === undefined) throw new SettingError('SMS_CHANNEL=http needs GATEWAYS_FILE.');
  const { gateways, routes } = readGateways(config.GATEWAYS_FILE);
  const proxy = proxyOptions(config);
  const sending = { transports: gateways.map((gateway) => openGateway(gateway, proxy)), routes };
  if (config.TEST_NUMBERS.length === 0) return sending;

  const test = smsFileTransport(outboxFile(config, 'sms'));
  const numbers = config.TEST_NUMBERS.flatMap((number) => readPhone(number, config.DEFAULT_COUNTRY) ?? []);
  return {
    transports: [...sending.transports, test],
    routes: [{ numbers, gateways: [test.name] }, ...sending.routes],
  };
}

export interface Transports {
  readonly sms: SmsTransports;
  readonly push: Transport<PushMessage>;
}

/** SMS gateways that can be tested without sending. */
interface ReachableSmsTransports extends SmsTransports {
  readonly transports: readonly (SmsTransport & ReachableTransport<SmsMessage>)[];
}

/** Returns the maximum number of concurrent push requests in this process. */
export function pushConcurrency({ SMS_CONCURRENCY }: Pick<Config, 'SMS_CONCURRENCY'>): number {
  return 2 * SMS_CONCURRENCY;
}

/**
 * @param watch - observes requests and answers
 * @throws SettingError for unusable settings
 */
export function pushTransport(config: Config, watch?: Watch): ReachableTransport<PushMessage> {
  if (config.PUSH_CHANNEL === 'file') return pushFileTransport(outboxFile(config, 'push'));
  const { FCM_SERVICE_ACCOUNT, PUSH_CONTENT } = config;
  if (FCM_SERVICE_ACCOUNT === undefined) {
    throw new SettingError('PUSH_CHANNEL=fcm needs FCM_SERVICE_ACCOUNT.');
  }
  return pushFcmTransport({
    account: readServiceAccount(FCM_SERVICE_ACCOUNT),
    content: PUSH_CONTENT,
    connections: pushConcurrency(config),
    proxy: proxyOptions(config),
    watch,
  });
}
