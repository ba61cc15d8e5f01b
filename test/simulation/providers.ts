import type { Outcome } from '../../src/delivery/outcome';
import type { PushMessage, SmsTransports, Transport } from '../../src/delivery/transports/transport';
import type { GatewayReport, Judge, Sending } from './judge';
import type { Host, VirtualTime } from './virtual-time';

/** Lists what a provider may do with a request. */
const BEHAVIOURS = [
  'takes it',
  'takes it late',
  'is busy',
  'fails',
  'is not reached',
  'takes it and breaks the connection',
  'breaks the connection',
  'takes it and is silent',
  'is silent',
  'refuses it',
  'refuses the account',
  'has a dead token',
  'gives no access token',
] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

/** For SMS, the preferred one first. */
const GATEWAYS = ['first', 'second'] as const;
const ONLY_PUSH: readonly Behaviour[] = ['has a dead token', 'gives no access token'];
const QUICK_MS = 300;
/** Shorter than any time-out. */
const LATE_MS = 9_500;
/** Most milliseconds after which a gateway reports what became of an SMS. */
const REPORT_MS = 6000;
const RETRY_AFTER_MS = [undefined, 0, 300, 1000, 4000, 17_000, 90_000] as const;

/**
 * Describes what the providers do at the moment: `trouble` of a hundred requests go wrong, in one of the ways that are
 * listed.
 */
export interface ProviderWeather {
  trouble: number;
  ways: readonly Behaviour[];
  /** One request in so many takes nearly as long as it may; 0 for none. */
  lateOnceIn: number;
}

export function someWays(time: VirtualTime): readonly Behaviour[] {
  return BEHAVIOURS.filter(() => time.random.once(3));
}

/** The two providers, which stand outside of all processes: what they do goes on when the one that asked is gone. */
export class Providers {
  readonly #time: VirtualTime;
  readonly #world: Host;
  readonly #judge: Judge;
  readonly #deadTokens = new Set<string>();
  readonly weather: ProviderWeather = { trouble: 0, ways: [], lateOnceIn: 0 };
  readonly #report: ((report: GatewayReport) => Promise<void>) | undefined;
  readonly #taken = new Map<string, number>();
  #reporting = 0;

  /** @param report - calls a process until it acknowledges a report; undefined if none takes reports */
  constructor(
    time: VirtualTime,
    world: Host,
    judge: Judge,
    report: ((report: GatewayReport) => Promise<void>) | undefined,
  ) {
    this.#time = time;
    this.#world = world;
    this.#judge = judge;
    this.#report = report;
  }

  /** Gateways have reports that they must still make. */
  get isReporting(): boolean {
    return this.#reporting > 0;
  }

  /** How one process reaches them. */
  for(host: Host): { readonly sms: SmsTransports; readonly push: Transport<PushMessage> } {
    return {
      sms: {
        transports: GATEWAYS.map((name) => this.#transport(host, 'sms', name)),
        routes: [{ gateways: GATEWAYS }],
      },
      push: this.#transport(host, 'push', 'simulated'),
    };
  }

  #transport<Message extends { readonly id: string; readonly token?: string }>(
    host: Host,
    channel: 'sms' | 'push',
    name: string,
  ): Transport<Message> {
    return {
      name,
      close: () => Promise.resolve(),
      send: async ({ id, token }, signal) => {
        const sending = this.#judge.sends(host, id, name);
        const outcome = signal.aborted ? UNREACHED : await this.#ask(host, channel, sending, token, signal);
        sending.outcome = outcome;
        return outcome;
      },
    };
  }

  #ask(
    host: Host,
    channel: 'sms' | 'push',
    sending: Sending,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { random } = this.#time;
    const behaviour = this.#behaviour(channel, token);
    const takeMs = random.below(behaviour === 'takes it late' ? LATE_MS : QUICK_MS);
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(behaviour === 'gives no access token' ? UNREACHED : SILENCE);
      });
      this.#time.schedule(this.#world, takeMs, () => {
        const isTaken = behaviour.startsWith('takes it');
        if (isTaken) this.#judge.takes(sending);
        const providerId = isTaken && channel === 'sms' ? this.#take(sending.provider) : undefined;
        const outcome = this.#outcome(behaviour, token, providerId);
        if (outcome === undefined) return;
        // The answer is there; the process reads it when it can.
        host.after(random.below(QUICK_MS), () => {
          resolve(outcome);
        });
      });
    });
  }

  /** Gives an SMS an id, and reports what became of it: perhaps before the answer is read, perhaps twice. */
  #take(gateway: string): string {
    const { random } = this.#time;
    const number = (this.#taken.get(gateway) ?? 0) + 1;
    this.#taken.set(gateway, number);
    const report: GatewayReport = {
      ...{ gateway, providerId: String(number) },
      state: random.once(2) ? 'delivered' : 'undelivered',
    };
    if (random.once(4) || this.#report === undefined) return report.providerId;
    this.#reportIn(random.below(random.once(2) ? QUICK_MS : REPORT_MS), report, () => {
      if (!random.once(2)) return;
      const other = report.state === 'delivered' ? 'undelivered' : 'delivered';
      const state = random.once(2) ? report.state : other;
      this.#reportIn(random.below(REPORT_MS), { ...report, state }, () => undefined);
    });
    return report.providerId;
  }

  #reportIn(ms: number, report: GatewayReport, then: () => void): void {
    this.#reporting += 1;
    this.#time.schedule(this.#world, ms, () => {
      void this.#report?.(report).then(() => {
        this.#reporting -= 1;
        then();
      });
    });
  }

  #behaviour(channel: 'sms' | 'push', token: string | undefined): Behaviour {
    const { random } = this.#time;
    if (token !== undefined && this.#deadTokens.has(token)) return 'has a dead token';
    const ways = this.weather.ways.filter((way) => channel === 'push' || !ONLY_PUSH.includes(way));
    if (random.below(100) >= this.weather.trouble) {
      const { lateOnceIn } = this.weather;
      return lateOnceIn > 0 && random.once(lateOnceIn) ? 'takes it late' : 'takes it';
    }
    return ways[random.below(Math.max(ways.length, 1))] ?? 'takes it';
  }

  /** Undefined: none comes. */
  #outcome(behaviour: Behaviour, token = '', providerId?: string): Outcome | undefined {
    const retryAfterMs = RETRY_AFTER_MS[this.#time.random.below(RETRY_AFTER_MS.length)];
    switch (behaviour) {
      case 'takes it':
      case 'takes it late':
        return { kind: 'sent', providerId, awaitsReceipt: providerId !== undefined };
      case 'is busy':
        return { kind: 'busy', reason: { code: 'provider_busy', status: 429 }, retryAfterMs, status: 429 };
      case 'fails':
        return {
          kind: 'failing',
          reason: { code: 'provider_failing', status: 503 },
          retryAfterMs,
          status: 503,
        };
      case 'refuses it':
        return { kind: 'refused', reason: { code: 'provider_rejected', status: 400 }, status: 400 };
      case 'refuses the account':
        return { kind: 'stopped', reason: { code: 'account_stopped', status: 402 }, status: 402 };
      case 'is not reached':
        return UNREACHED;
      case 'breaks the connection':
      case 'takes it and breaks the connection':
        return { kind: 'unknown', reason: { code: 'connection_closed', error: 'ECONNRESET' } };
      case 'has a dead token':
        this.#deadTokens.add(token);
        this.#judge.tokenDies(token);
        return { kind: 'dead-token', reason: { code: 'token_dead', status: 404 } };
      case 'takes it and is silent':
      case 'is silent':
      case 'gives no access token':
        return undefined;
    }
  }
}

const UNREACHED: Outcome = { kind: 'failing', reason: { code: 'connection_failed', error: 'ECONNREFUSED' } };
const SILENCE: Outcome = { kind: 'unknown', reason: { code: 'provider_timeout' } };
