import type { TraceContext } from '../../store';
import type { Outcome } from '../outcome';

/** A way to one kind of provider. Adding one is a file here and a row in `create-transports.ts`. */
export interface Transport<Message> {
  /** As it is called in settings and log. */
  readonly name: string;
  /**
   * Hands one message to the provider. Resolves in any case, and soon once the signal is aborted; only a
   * defect rejects.
   */
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  /** Ends what is open; to be called when nothing is under way. */
  close(): Promise<void>;
}

/** Whether a provider can be asked, as far as can be told without sending anything. */
export interface Reach {
  readonly isReached: boolean;
  /** One line: what was reached, or why it was not. */
  readonly what: string;
}

/** A way to a provider of which one can find out whether it is there. */
export interface ReachableTransport<Message> extends Transport<Message> {
  /** Sends nothing. Resolves in any case, within the time. */
  reach(withinMs: number): Promise<Reach>;
}

export interface SmsMessage {
  readonly id: string;
  /** In E.164, or the digits of a national number. */
  readonly phone: string;
  readonly text: string;
  /** What it is a part of, for the provider to know. */
  readonly trace?: TraceContext | undefined;
}

export interface PushMessage {
  readonly id: string;
  readonly token: string;
  readonly platform: string;
  readonly title: string;
  readonly body: string;
  /** For the app: which note of which school. */
  readonly data: Readonly<Record<string, string>>;
  /** What it is a part of, for the provider to know. */
  readonly trace?: TraceContext | undefined;
}
