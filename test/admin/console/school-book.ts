import type { PushMessage, SmsMessage } from '../../../src/delivery/transports/transport';
import type { Outcome } from '../../../src/delivery/outcome';
import type { Transports } from '../../../src/delivery/transports/transports';
import type { Gateway } from '../../../src/delivery';
import type { CallerTally } from '../../../src/telemetry/request-tally';

/** Lifetime of a code. */
const LIFETIME = 5 * 60_000;

type State = 'queued' | 'sent' | 'failed' | 'expired';

/** A message as its sender and its provider know it. Times are milliseconds since 1970 UTC. */
export interface Noted {
  readonly channel: 'sms' | 'push';
  /** Number of a code, token of a push message. */
  readonly to: string;
  readonly caller: string;
  readonly acceptedAt: number;
  state: State;
  endedAt: number;
  /** True for a code that expired while the account was refused. */
  isHeld: boolean;
  receipt: 'delivered' | 'undelivered' | undefined;
}

/** Devices with a token in the class 1A of the sample school. */
export const TOKENS: readonly string[] = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18].map(
  (device) => `sample-token-${String(device).padStart(2, '0')}`,
);
/** The push provider refuses it for good. */
const REFUSED_TOKEN = 'sample-token-07';

/** A gateway that is asked for receipts. */
const REPORTING = {
  name: 'okulsms',
  receipts: {
    ...{ request: { ids: 1000 }, list: { json: '' }, providerId: [{ json: '/id' }], reply: '' },
    ...{ status: [{ json: '/status' }], code: [{ json: '/code' }], parts: [{ json: '/parts' }] },
    states: [
      ...['delivered', 'waiting'].map((status) => ({ status: [status], state: status })),
      { status: ['undelivered'], state: 'undelivered', meaning: 'off' },
    ],
  },
};

/**
 * Keeps what the providers of a school did and what its callers sent, noted by those who stand in for them. Pages are
 * held against it; it never asks the service.
 */
export class SchoolBook {
  readonly messages: Noted[] = [];
  readonly notes: number[] = [];
  /** Requests of each caller that were accepted and refused. */
  readonly calls = new Map<string, { accepted: number; refused: number }>();
  readonly #newCalls: CallerTally[] = [];
  /** Times at which the gateway began, and ceased, to refuse the account or to ask for pauses. */
  holdSince: number | undefined;
  holdUntil: number | undefined;
  doing: 'takes' | 'refuses some' | 'has no credit' | 'asks for pauses' = 'takes';
  readonly #now: () => number;
  readonly #sent = new Map<string, Noted>();
  #receipts = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A caller asks for a code, before it is known whether it is accepted. */
  asks(phone: string, caller: string): { readonly accepted: () => void; readonly refused: () => void } {
    const code = this.#note('sms', phone, caller);
    return {
      accepted: () => {
        this.#call(caller, 'AuthCode', 'ok');
      },
      refused: () => {
        this.#call(caller, 'AuthCode', 'client_error');
        this.messages.splice(this.messages.indexOf(code), 1);
      },
    };
  }

  /** A caller sends a note for the class 1A. */
  sendsNote(caller: string): void {
    this.notes.push(this.#now());
    this.#call(caller, 'SendMarkNotes', 'ok');
    for (const token of TOKENS) this.#note('push', token, caller);
  }

  #call(caller: string, operation: string, outcome: 'ok' | 'client_error'): void {
    const calls = this.calls.get(caller) ?? { accepted: 0, refused: 0 };
    calls[outcome === 'ok' ? 'accepted' : 'refused'] += 1;
    this.calls.set(caller, calls);
    const where = { address: undefined, agent: 'none', binding: 'soap11' };
    this.#newCalls.push({ caller, ...where, operation, outcome, requests: 1 });
  }

  /** Takes the requests since the last time, as the service counts them. */
  readonly takeCallers = (): readonly CallerTally[] => this.#newCalls.splice(0);

  #note(channel: Noted['channel'], to: string, caller: string): Noted {
    const message: Noted = {
      ...{ channel, to, caller, acceptedAt: this.#now() },
      ...{ state: 'queued', endedAt: 0, isHeld: false, receipt: undefined },
    };
    this.messages.push(message);
    return message;
  }

  /** A worker looks: codes that are too old expire. */
  looks(): void {
    for (const message of this.messages) {
      const isOver = message.channel === 'sms' && this.#now() >= message.acceptedAt + LIFETIME;
      if (message.state !== 'queued' || !isOver) continue;
      this.#end(message, 'expired');
      // A worker that looks this rarely sees no pauses of a minute.
      message.isHeld = this.doing === 'has no credit';
    }
  }

  #end(message: Noted, state: State): void {
    Object.assign(message, { state, endedAt: this.#now() });
  }

  readonly transports: Transports = {
    sms: {
      transports: [
        {
          name: 'okulsms',
          send: (message) => Promise.resolve(this.#takeSms(message)),
          asked: {
            gateway: REPORTING as Partial<Gateway> as Gateway, // What the taker of receipts reads of it.
            ask: (ids) => Promise.resolve(JSON.stringify(ids.map((id) => this.#report(id)))),
          },
          close: () => Promise.resolve(),
        },
      ],
      routes: [{ gateways: ['okulsms'] }],
    },
    push: {
      name: 'fcm',
      send: (message) => Promise.resolve(this.#takePush(message)),
      close: () => Promise.resolve(),
    },
  };

  #queued(channel: Noted['channel'], to: string): Noted {
    const found = this.messages.find(
      (message) => message.channel === channel && message.to === to && message.state === 'queued',
    );
    if (found === undefined) throw new Error(`Nobody asked for a message to ${to}`);
    return found;
  }

  #takeSms({ id, phone }: SmsMessage): Outcome {
    const message = this.#queued('sms', phone);
    if (this.doing === 'has no credit' || this.doing === 'asks for pauses') {
      this.holdSince ??= this.#now();
      this.holdUntil = undefined;
      return this.doing === 'has no credit'
        ? {
            kind: 'stopped',
            reason: { code: 'account_stopped', status: 200, detail: '12', meaning: 'no credit left' },
          }
        : { kind: 'busy', reason: { code: 'provider_busy', status: 429 }, retryAfterMs: 60_000, status: 429 };
    }
    if (this.holdSince !== undefined) this.holdUntil ??= this.#now();
    if (this.doing === 'refuses some' && Number(phone.at(-1)) % 2 === 1) {
      this.#end(message, 'failed');
      return {
        kind: 'refused',
        reason: {
          code: 'provider_rejected',
          status: 200,
          detail: '30',
          meaning: 'the number is on a blacklist',
        },
      };
    }
    this.#end(message, 'sent');
    this.#sent.set(id, message);
    return { kind: 'sent', providerId: id, parts: 1, awaitsReceipt: true, status: 200 };
  }

  /** Reports that three of four SMS were delivered, and a fourth was not. */
  #report(id: string): object {
    const message = this.#sent.get(id);
    if (message === undefined || message.receipt !== undefined) return { id, status: 'waiting' };
    this.#receipts += 1;
    message.receipt = this.#receipts % 4 === 0 ? 'undelivered' : 'delivered';
    return { id, status: message.receipt, code: '7', parts: 1 };
  }

  #takePush({ token }: PushMessage): Outcome {
    const message = this.#queued('push', token);
    this.#end(message, token === REFUSED_TOKEN ? 'failed' : 'sent');
    return token === REFUSED_TOKEN
      ? { kind: 'refused', reason: { code: 'sender_mismatch' }, status: 403 }
      : { kind: 'sent', providerId: token, status: 200 };
  }

  /** Counts messages. @param since - of acceptance */
  count(isWanted: (message: Noted) => boolean, since = 0): number {
    return this.messages.filter((message) => message.acceptedAt >= since && isWanted(message)).length;
  }
}
