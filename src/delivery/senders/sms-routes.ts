import type { ClaimedMessage, HeldRoute } from '../../store';
import { parseInternational } from '../../support/phones';
import type { Outcome } from '../outcome';
import type { AskedGateway, SmsMessage, SmsTransport, SmsTransports } from '../transports/transport';
import type { Provider, ProviderHold, SendResult } from './provider';

/** Holds the outcome of an attempt, and the gateway for the next one. */
interface RoutedAnswer extends SendResult {
  readonly gateway: string;
}

/** Number of certain failures at a gateway before the next gateway gets the message. */
const ATTEMPTS_EACH = 2;
/** Suffix of a gateway's name if it may have sent the message: no other gateway gets it then. */
const PINNED = '!';

interface Gateway {
  readonly provider: Provider<SmsMessage>;
  readonly transport: SmsTransport;
}

/**
 * Sends each SMS through the first gateway of its route. The next gateway gets it when the first is stopped,
 * keeps failing, or has deferred the message twice. The message's gateway is stored before another one is
 * asked, so that a process that dies in between cannot send a message through two.
 */
export class SmsRoutes {
  readonly #open: (transport: SmsTransport) => Provider<SmsMessage>;
  readonly #gateways = new Map<string, Gateway>();
  #routes: SmsTransports['routes'] = [];
  #nodes = 1;

  /** @param open - creates the provider for a new gateway */
  constructor(transports: SmsTransports, open: (transport: SmsTransport) => Provider<SmsMessage>) {
    this.#open = open;
    this.use(transports);
  }

  /** Replaces the gateways and routes. Removed gateways close when their last message is done. */
  use({ transports, routes }: SmsTransports): void {
    const names = new Set(transports.map(({ name }) => name));
    for (const [name, { provider }] of this.#gateways) {
      if (names.has(name)) continue;
      this.#gateways.delete(name);
      void provider.close().catch(() => undefined);
    }
    for (const transport of transports) {
      const { name, rate } = transport;
      const known = this.#gateways.get(name);
      known?.provider.use(transport);
      const provider = known?.provider ?? this.#open(transport);
      provider.keepTo(rate);
      provider.shareAmong(this.#nodes);
      this.#gateways.set(name, { provider, transport });
    }
    this.#routes = routes;
  }

  /** @param nodes - number of nodes that send SMS and share the gateways' rates */
  shareAmong(nodes: number): void {
    this.#nodes = nodes;
    for (const { provider } of this.#gateways.values()) provider.shareAmong(nodes);
  }

  /** Routes of the messages that gateways get, without those of test numbers. */
  get routes(): readonly HeldRoute[] {
    return this.#routes
      .filter(({ numbers }) => numbers === undefined)
      .map(({ countries, gateways }) => ({ channel: 'sms', countries, gateways }));
  }

  /** Returns what each gateway's messages wait for, by its name. */
  get holds(): readonly (readonly [gateway: string, hold: ProviderHold])[] {
    return [...this.#gateways].flatMap(
      ([
        name,
        {
          provider: { hold },
        },
      ]) => (hold === undefined ? [] : [[name, hold] as const]),
    );
  }

  /** True if a gateway declares a rate. */
  get isRated(): boolean {
    return [...this.#gateways.values()].some(({ transport }) => transport.rate !== undefined);
  }

  /** Returns how many messages may be started now; see `Provider.places`. */
  places(): number {
    return Math.max(0, ...this.#working().map((provider) => provider.places()));
  }

  /** Returns the time until `places` rises, in milliseconds; see `Provider.untilPlaceMs`. */
  untilPlaceMs(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#working().map((provider) => provider.untilPlaceMs()));
  }

  /**
   * Returns the provider that each route uses now, except routes of test numbers; none for one without any.
   */
  #working(): readonly Provider<SmsMessage>[] {
    return this.#routes
      .filter(({ numbers }) => numbers === undefined)
      .flatMap(({ gateways }) => {
        const providers = gateways.map((name) => this.#gateway(name).provider);
        return providers.find((provider) => !provider.isPaused) ?? [];
      });
  }

  async send(
    message: SmsMessage,
    { gateway: kept, attempts, abandoned }: Pick<ClaimedMessage, 'gateway' | 'attempts' | 'abandoned'>,
    stop: AbortSignal,
  ): Promise<RoutedAnswer> {
    const route = this.#findRoute(message.phone);
    const isPinned = abandoned > 0 || kept?.endsWith(PINNED) === true;
    const known = kept?.replace(PINNED, '');
    const name = known !== undefined && this.#gateways.has(known) ? known : (route[0] ?? '');
    const { provider, transport } = this.#gateway(name);
    const next = isPinned ? undefined : this.#findNext(route, name);
    if (provider.isPaused && next !== undefined) {
      return { outcome: { kind: 'not-yet', until: 0 }, gateway: next };
    }
    const answer = await provider.send(message, message.lifeMs, stop);
    const { outcome } = answer;
    if (outcome.kind === 'unknown') {
      return {
        ...answer,
        outcome: { ...outcome, repeatable: transport.idempotent === true },
        gateway: `${name}${PINNED}`,
      };
    }
    const moves =
      next !== undefined &&
      wasRefused(outcome) &&
      (outcome.kind === 'stopped' || provider.isPaused || attempts % ATTEMPTS_EACH === 0);
    return { ...answer, gateway: moves ? next : `${name}${isPinned ? PINNED : ''}` };
  }

  /** The gateways that are asked for receipts. */
  get asked(): readonly AskedGateway[] {
    return [...this.#gateways.values()].flatMap(({ transport }) => transport.asked ?? []);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#gateways.values()].map(({ provider }) => provider.close()));
  }

  #findRoute(phone: string): readonly string[] {
    const byCountry = this.#routes.some(({ countries }) => countries !== undefined);
    const country = byCountry ? parseInternational(phone)?.country : undefined;
    const fits = (countries: readonly string[] | undefined): boolean =>
      countries === undefined || (country !== undefined && countries.includes(country));
    const route = this.#routes.find(({ numbers, countries }) => numbers?.includes(phone) ?? fits(countries));
    return route?.gateways ?? [];
  }

  /**
   * Returns the next gateway of a route that is not paused, searching after `name` and then from the start.
   */
  #findNext(route: readonly string[], name: string): string | undefined {
    const at = route.indexOf(name);
    return [...route.slice(at + 1), ...route.slice(0, Math.max(at, 0))].find(
      (each) => !this.#gateway(each).provider.isPaused,
    );
  }

  #gateway(name: string): Gateway {
    const gateway = this.#gateways.get(name);
    if (gateway === undefined) throw new Error(`No gateway is called ${name}`);
    return gateway;
  }
}

/** Returns true if a gateway certainly did not accept the message, and may accept it later. */
function wasRefused({ kind }: Outcome): boolean {
  return kind === 'failing' || kind === 'busy' || kind === 'stopped' || kind === 'later';
}
