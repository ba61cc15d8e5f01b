import type { TraceContext } from '../../store';
import type { Gateway } from '../gateways/gateway-file';
import type { Outcome } from '../outcome';

/** Sends messages to one kind of provider. To add one, add a file here and a row in `transports.ts`. */
export interface Transport<Message> {
  /** Name in settings and log. */
  readonly name: string;
  /**
   * Sends one message to the provider. Always resolves, and soon once the signal is aborted; only a bug
   * rejects.
   */
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  /** Closes connections; to be called when no message is in progress. */
  close(): Promise<void>;
}

/** Result of checking whether a provider can be reached, without sending anything. */
export interface Reach {
  readonly isReached: boolean;
  /** One line: the server that was reached, or the reason why not. */
  readonly what: string;
}

export interface ReachableTransport<Message> extends Transport<Message> {
  /** Sends nothing. Always resolves, within the time. */
  reach(withinMs: number): Promise<Reach>;
}

/** A gateway that is asked for receipts. */
export interface AskedGateway {
  readonly gateway: Gateway;
  /**
   * Asks what became of SMS, by the gateway's ids, which need no escaping. Always resolves.
   *
   * @returns the body of the answer; undefined without a successful one
   */
  readonly ask: (providerIds: readonly string[], signal: AbortSignal) => Promise<string | undefined>;
}

export interface SmsTransport extends Transport<SmsMessage> {
  /** Maximum number of messages per second, if known. */
  readonly rate?: number | undefined;
  /** True if it recognizes a repeated id as the same SMS. Default: false. */
  readonly idempotent?: boolean;
  /** Undefined for a gateway that is not asked for receipts. */
  readonly asked?: AskedGateway | undefined;
}

export interface SmsTransports {
  readonly transports: readonly SmsTransport[];
  /**
   * The first route that matches a number is used; one matches every number. Gateways by name, preferred
   * first.
   */
  readonly routes: readonly {
    readonly numbers?: readonly string[];
    readonly countries?: readonly string[] | undefined;
    readonly gateways: readonly string[];
  }[];
}

export interface SmsMessage {
  readonly id: string;
  /** In E.164, or the digits of a national number. */
  readonly phone: string;
  readonly text: string;
  /** Remaining lifetime, in milliseconds. */
  readonly lifeMs: number;
  readonly trace?: TraceContext | undefined;
}

export interface PushMessage {
  readonly id: string;
  readonly token: string;
  readonly platform: string;
  readonly title: string;
  readonly body: string;
  /** Note and school, for the app. */
  readonly data: Readonly<Record<string, string>>;
  /** Remaining lifetime, in milliseconds, and its end (since 1970 UTC). */
  readonly lifeMs: number;
  readonly expiresAt: number;
  readonly trace?: TraceContext | undefined;
}
