import type { Outcome } from '../../src/delivery/outcome';
import type { MessageChannel, MessageState, Settlement } from '../../src/store';
import type { ReceiptState } from '../../src/store/statements';
import type { Written } from './host-engine';
import { devicesOf, quietEnd } from './school';
import type { Host, VirtualTime } from './virtual-time';

/** One request to a provider. */
export interface Sending {
  readonly host: Host;
  /** Whom it was sent to. */
  readonly provider: string;
  /** A moment of the world. */
  readonly startedAt: number;
  takenAt: number | undefined;
  /** Holds what its process was answered; undefined until then. */
  outcome: Outcome | undefined;
}

/** Describes what the judge knows of a message, from what was committed. */
interface Known {
  readonly id: string;
  readonly channel: MessageChannel;
  readonly recipient: string;
  readonly school: string;
  readonly payload: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly sendings: Sending[];
  /** When the store kept a worker from recording what came of it. */
  readonly hindered: number[];
  state: MessageState;
  nextAttemptAt: number;
  expiresAt: number;
  owner: string;
  /** The process of the last claim. */
  holder: Host | undefined;
  /** Processes that still count on a lease which was ended by a time of other clocks. */
  readonly misled: Set<Host>;
  leaseUntil: number;
  attempts: number;
  /** Counts those of `sendings` before the claim that holds it. */
  sendingsBefore: number;
  /** How often it was taken from a worker that had not recorded what came of it. */
  takenAway: number;
  /** True if its digest is erased: the clocks may have been set forward for that, and back since. */
  isForgotten: boolean;
  /** Names the mark note of a push message. */
  readonly requestId: string | null;
  /** Holds the result that its gateway reported, as recorded. */
  receipt: ReceiptState | undefined;
}

/** Describes what a gateway says became of an SMS. */
export interface GatewayReport {
  readonly gateway: string;
  /** The gateway's; two gateways may have the same. */
  readonly providerId: string;
  readonly state: ReceiptState;
}

/** Describes what is stored of a message at the end. */
export interface StoredMessage {
  readonly id: string;
  readonly channel: string;
  readonly state: string;
  readonly payload: string | null;
  readonly receipt: string | null;
}

export interface JudgedRules {
  readonly repeatMs: number;
  readonly coolDownMs: number;
  readonly perTenMinutes: number;
  readonly perDay: number;
  readonly perDayOverall: number;
  readonly noteRepeatMs: number;
}

export class Violation extends Error {
  override readonly name = 'Violation';
}

const MINUTE_MS = 60_000;
/** Longer than a process stands still or the store takes for all statements of a transaction. */
const LONGEST_STORE_MS = 5 * MINUTE_MS;
/** How long repetitions of a code are recognised. */
const CODE_MEMORY_MS = 10 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LONGEST_PAUSE_MS: Readonly<Record<MessageChannel, number>> = {
  sms: 20_000,
  push: 10 * MINUTE_MS,
  mark: 10 * MINUTE_MS,
};
/** The world's random numbers for pauses begin here. */
export const SHORTEST_PAUSE = 0.5;
const DEAD: readonly MessageState[] = ['failed', 'expired', 'suppressed'];
const OPEN: readonly MessageState[] = ['queued', 'sending'];

interface NewRow {
  readonly id: string;
  readonly channel: MessageChannel;
  readonly recipient: string;
  readonly school: string;
  readonly payload: string;
  readonly next_attempt_at: number;
  readonly expires_at: number;
  readonly created_at: number;
  readonly request_id: string | null;
}

interface ClaimValues {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
}

/**
 * Holds what was committed and what the providers saw against what docs/messages.md promises. It knows none of the
 * delivery's code, only its statements by their names.
 */
export class Judge {
  readonly #time: VirtualTime;
  readonly #rules: JudgedRules;
  readonly #messages = new Map<string, Known>();
  readonly #deadTokens = new Set<string>();
  /** By school, class and note: when push messages were made of requests. */
  readonly #resolved = new Map<string, number[]>();
  readonly #acknowledged: string[] = [];
  /** By gateway and its id: the messages that are recorded as sent, and the first report that was acknowledged. */
  readonly #sentAs = new Map<string, Known>();
  readonly #reports = new Map<string, GatewayReport & { readonly at: number }>();
  readonly events: string[] = [];
  /** The first promise that was broken. */
  violation: Violation | undefined;
  /** When something last came nearer to its end. */
  progressAt = 0;

  constructor(time: VirtualTime, rules: JudgedRules) {
    this.#time = time;
    this.#rules = rules;
  }

  note(text: string): void {
    this.events.push(`${String(this.#time.elapsed).padStart(8)} ${text}`);
  }

  /** Takes note that a caller got the promise that its message will be delivered. */
  acknowledges(id: string): void {
    this.note(`acknowledged ${id}`);
    this.#check(this.#messages.has(id), `${id} was acknowledged, and is not stored`);
    this.#acknowledged.push(id);
  }

  /** The service acknowledged a report to a gateway. */
  hears(report: GatewayReport): void {
    const key = keyOf(report);
    this.note(`acknowledged that ${key} is ${report.state}`);
    if (!this.#reports.has(key)) this.#reports.set(key, { ...report, at: this.#time.moment() });
  }

  /** SMS whose report was acknowledged, and is not recorded with them yet. */
  get unreported(): readonly string[] {
    return [...this.#reports.values()].flatMap((report) => {
      const message = this.#sentAs.get(keyOf(report));
      // So long after a report no clock may be put: early ones are looked for within an hour.
      const isOff = this.#time.hasJumped(report.at, this.#time.moment());
      return message === undefined || message.receipt !== undefined || isOff
        ? []
        : [`the receipt of ${message.id}`];
    });
  }

  /** Takes note of what was committed since the last step, in order. */
  commits(written: readonly Written[]): void {
    for (const each of written) this.#commit(each);
    for (const number of new Set(written.map(({ transaction }) => transaction))) {
      this.#checkResolution(written.filter(({ transaction }) => transaction === number));
    }
  }

  sends(host: Host, id: string, provider: string): Sending {
    const now = this.#time.wall();
    const message = this.#known(id);
    this.note(`${host.name} sends ${this.#describe(message)} by ${provider}`);
    const sending: Sending = {
      host,
      provider,
      startedAt: this.#time.moment(),
      takenAt: undefined,
      outcome: undefined,
    };
    this.#check(now < message.expiresAt, `${message.channel} ${id} is sent past its life`);
    if (message.channel === 'push') {
      this.#check(quietEnd(message.school, now) === now, `push ${id} is sent at night`);
    }
    const refused = ['busy', 'failing', 'stopped', 'later'];
    const mayHaveIt = message.sendings.find(
      (other) => other.provider !== provider && !refused.includes(other.outcome?.kind ?? ''),
    );
    this.#check(
      mayHaveIt === undefined,
      `${id} is sent through ${provider}, and another gateway may have sent it`,
    );
    if (message.misled.delete(host)) message.hindered.push(sending.startedAt);
    message.sendings.push(sending);
    this.#sendingOf.set(sending, message);
    return sending;
  }

  readonly #sendingOf = new Map<Sending, Known>();

  takes(sending: Sending): void {
    const message = this.#sendingOf.get(sending);
    if (message === undefined) throw new Error('A provider takes what nobody sent');
    sending.takenAt = this.#time.elapsed;
    this.note(`the provider takes ${message.id}`);
    for (const other of message.sendings) {
      if (other === sending || other.takenAt === undefined) continue;
      const [first, second] = other.startedAt <= sending.startedAt ? [other, sending] : [sending, other];
      const explained = this.#isExplained(message, first, second);
      this.#check(explained, `${message.channel} ${message.id} reached the provider twice`);
    }
  }

  /** Takes note that the outcome of a message could not be recorded at once. */
  hinders(id: string): void {
    this.#known(id).hindered.push(this.#time.moment());
  }

  tokenDies(token: string): void {
    this.#deadTokens.add(token);
  }

  /** Messages that have not come to their end, by when something is to happen to them. */
  get open(): readonly { readonly id: string; readonly state: MessageState; readonly at: number }[] {
    return [...this.#messages.values()]
      .filter((message) => OPEN.includes(message.state) || this.#isToEnd(message))
      .map(({ id, state, nextAttemptAt, leaseUntil }) => ({
        id,
        state,
        at: state === 'sending' ? leaseUntil : nextAttemptAt,
      }));
  }

  #isToEnd({ id, state }: Known): boolean {
    return state === 'open' && !this.#pushesOf(id).some((push) => OPEN.includes(push.state));
  }

  get isSending(): boolean {
    return [...this.#sendingOf.keys()].some(({ host, outcome }) => !host.isDead && outcome === undefined);
  }

  get messages(): number {
    return this.#messages.size;
  }

  /** Compares what is stored at the end with what was committed. */
  checkStored(stored: readonly StoredMessage[]): void {
    const byId = new Map(stored.map((message) => [message.id, message]));
    for (const id of this.#acknowledged) {
      this.#check(byId.has(id), `${id} was acknowledged, and is lost`);
    }
    for (const { id, state, receipt } of this.#messages.values()) {
      const row = byId.get(id);
      const isAsReported = row?.receipt === null || row?.receipt === (receipt ?? 'waiting');
      this.#check(isAsReported, `${id} has the receipt ${String(row?.receipt)}, and was ${String(receipt)}`);
      this.#check(row?.state === state, `${id} is stored as ${String(row?.state)}, and was ${state}`);
    }
    for (const { id, channel, state, payload } of stored) {
      const erased = channel !== 'sms' || state === 'failed' || payload === null;
      this.#check(erased, `the code of ${id} stays in the store, ${state}`);
    }
  }

  #commit(written: Written): void {
    const { name, values, rows, host } = written;
    // The statements' own types, by their names.
    switch (name) {
      case 'enqueue_message':
        this.#enqueued(values as NewRow);
        break;
      case 'claim_messages':
      case 'claim_expired':
        for (const row of rows) this.#claimed(String(row[0]), Number(row[5]), host, values as ClaimValues);
        break;
      case 'settle_message':
        if (rows.length > 0) this.#settled(values as Settlement, host);
        break;
      case 'record_receipt':
      case 'record_early_receipt':
        for (const [id] of rows) this.#reported(String(id), values as GatewayReport);
        break;
      case 'end_request':
        if (rows.length > 0) this.#ended(values as { readonly id: string; readonly state: MessageState });
        break;
      case 'requeue_abandoned':
        for (const [id] of rows)
          this.#requeued(String(id), (values as { readonly now: number }).now, undefined);
        break;
      case 'release_claims': {
        const { now, owner } = values as { readonly now: number; readonly owner: string };
        for (const [id] of rows) this.#requeued(String(id), now, owner);
        break;
      }
      case 'erase_digests':
        for (const [id] of rows) this.#forgotten(String(id));
        break;
      case 'release_delayed_codes': {
        const { now } = values as { readonly now: number };
        for (const [id] of rows) {
          const message = this.#known(String(id));
          message.nextAttemptAt = now;
          message.expiresAt = now + message.expiresAt - message.createdAt;
        }
        break;
      }
    }
  }

  #enqueued({ id, channel, recipient, school, payload, ...row }: NewRow): void {
    const message: Known = {
      ...{
        id,
        channel,
        recipient,
        school,
        state: 'queued',
        owner: '',
        holder: undefined,
        misled: new Set<Host>(),
        leaseUntil: 0,
        requestId: row.request_id,
      },
      payload: JSON.parse(payload) as Readonly<Record<string, string>>, // As the store writes it.
      ...{ createdAt: row.created_at, expiresAt: row.expires_at, nextAttemptAt: row.next_attempt_at },
      ...{
        attempts: 0,
        takenAway: 0,
        isForgotten: false,
        sendingsBefore: 0,
        sendings: [],
        hindered: [],
        receipt: undefined,
      },
    };
    if (channel === 'sms') this.#checkLimits(message);
    this.#messages.set(id, message);
    this.note(`stored ${this.#describe(message)}`);
    if (channel === 'push') {
      const due = quietEnd(school, message.createdAt);
      this.#check(
        message.nextAttemptAt === due,
        `push ${id} is to wait for another time than its school's morning`,
      );
    }
  }

  #claimed(id: string, attempts: number, host: Host, { owner, now, leaseUntil }: ClaimValues): void {
    const message = this.#known(id);
    this.note(`${host.name} claims ${this.#describe(message)}, attempt ${String(attempts)}`);
    this.#check(message.state === 'queued', `${id} is claimed while another worker has it`);
    // Data that was loaded makes requests due, by a statement that is not watched.
    const isDue = message.nextAttemptAt <= now || message.channel === 'mark';
    this.#check(isDue, `${message.channel} ${id} is claimed before it is due`);
    const explained = message.sendings.length + message.takenAway + 1;
    const isCounted = message.channel === 'mark' || attempts <= explained;
    this.#check(isCounted, `${message.channel} ${id} has lost attempts by waiting`);
    Object.assign(message, { state: 'sending', owner, holder: host, leaseUntil, attempts });
    message.sendingsBefore = message.sendings.length;
    this.progressAt = this.#time.elapsed;
  }

  #settled(settlement: Settlement, host: Host): void {
    const { id, state, owner, leaseUntil, nextAttemptAt, attempted, now, reason } = settlement;
    const message = this.#known(id);
    this.note(
      `${host.name} settles ${this.#describe(message)}: ${state} ${reason?.code ?? ''}, next ${String(nextAttemptAt - now)}`,
    );
    this.#check(
      message.state === 'sending' && message.owner === owner && message.leaseUntil === leaseUntil,
      `${id} is settled by a worker that had lost it`,
    );
    const outcome = message.sendings
      .slice(message.sendingsBefore)
      .findLast((sending) => sending.host === host)?.outcome;
    if (state === 'sent' && message.channel !== 'mark') {
      const taken = message.sendings.some(({ takenAt }) => takenAt !== undefined);
      this.#check(taken, `${id} is recorded as sent, and the provider has not got it`);
    }
    if (
      state === 'failed' &&
      (outcome?.kind === 'busy' || outcome?.kind === 'failing' || outcome?.kind === 'stopped')
    ) {
      this.#check(
        false,
        `${id} has failed after ${String(message.attempts)} attempts, and is worth something still`,
      );
    }
    if (state === 'queued' && attempted) this.#checkPause(message, settlement, outcome);
    const { providerId, gateway } = settlement;
    if (state === 'sent' && typeof providerId === 'string') {
      this.#sentAs.set(keyOf({ gateway: gateway?.replace('!', '') ?? '', providerId }), message);
    }
    message.state = state;
    message.nextAttemptAt = nextAttemptAt;
    this.progressAt = this.#time.elapsed;
    if (!attempted) message.attempts -= 1;
  }

  /** A gateway's report goes to the message that it took, and the first one counts. */
  #reported(id: string, report: GatewayReport): void {
    const message = this.#known(id);
    this.note(`recorded that ${id} is ${report.state}`);
    this.#check(this.#sentAs.get(keyOf(report)) === message, `${id} has the receipt of another message`);
    // The model of PostgreSQL runs a statement again when it commits, so a repeated report may seem to be recorded twice.
    const isRepeated = message.receipt === report.state;
    this.#check(message.receipt === undefined || isRepeated, `${id} has a receipt already`);
    const first = this.#reports.get(keyOf(report))?.state ?? report.state;
    this.#check(report.state === first, `${id} has a later receipt than its first`);
    message.receipt = report.state;
    this.progressAt = this.#time.elapsed;
  }

  /** A request ends once, when all of its messages have, and as what became of them. */
  #ended({ id, state }: { readonly id: string; readonly state: MessageState }): void {
    const request = this.#known(id);
    const ends = this.#pushesOf(id).map((push) => push.state);
    this.note(`ended ${this.#describe(request)}: ${state}`);
    this.#check(request.state === 'open', `the request ${id} ends twice`);
    this.#check(!ends.some((end) => OPEN.includes(end)), `the request ${id} ends before its messages`);
    const went = ends.filter((end) => end === 'sent').length;
    const expected = went === 0 ? DEAD : went < ends.length ? ['partly'] : ['sent'];
    this.#check(
      expected.includes(state),
      `the request ${id} is ${state}, and ${String(went)} of its messages went`,
    );
    request.state = state;
    this.progressAt = this.#time.elapsed;
  }

  #pushesOf(request: string): readonly Known[] {
    return [...this.#messages.values()].filter(({ requestId }) => requestId === request);
  }

  /** As long as the number of attempts asks for; what was too much for the provider is paced, not put off. */
  #checkPause(message: Known, { now, nextAttemptAt, id }: Settlement, outcome: Outcome | undefined): void {
    const { channel, attempts, expiresAt } = message;
    if (outcome?.kind === 'busy') return;
    const longest = Math.min(1000 * 2 ** (attempts - 1), LONGEST_PAUSE_MS[channel]);
    const least = Math.floor(longest * SHORTEST_PAUSE);
    const pause = nextAttemptAt - now;
    const isLong = pause >= Math.min(least, Math.max(expiresAt - now, 0));
    this.#check(
      isLong,
      `${channel} ${id} is tried again after ${String(pause)} ms instead of ${String(least)}`,
    );
  }

  #requeued(id: string, now: number, owner: string | undefined): void {
    const message = this.#known(id);
    this.note(`queued again: ${this.#describe(message)}`);
    const mayBe = owner === undefined ? message.leaseUntil <= now : message.owner === owner;
    this.#check(message.state === 'sending' && mayBe, `${id} is taken from the worker that has it`);
    // By a statement that the store kept until the clocks were put: no clock shows any more that the lease is over.
    if (this.#isOfOtherClocks(now)) {
      message.hindered.push(this.#time.moment());
      if (message.holder !== undefined) message.misled.add(message.holder);
    }
    Object.assign(message, { state: 'queued', nextAttemptAt: now, owner: '' });
    message.takenAway += 1;
  }

  /** From now on the same code is another. */
  #forgotten(id: string): void {
    const message = this.#known(id);
    const isOld = message.createdAt + CODE_MEMORY_MS <= this.#time.latest;
    this.#check(isOld, `the digest of ${id} is erased while repetitions of it are looked for`);
    message.isForgotten = true;
  }

  #checkResolution(written: readonly Written[]): void {
    const pushes = written
      .filter(({ name }) => name === 'enqueue_message')
      .map(({ values }) => values as NewRow)
      .filter(({ channel }) => channel === 'push');
    const settled = written
      .filter(({ name, rows }) => name.startsWith('settle_') && rows.length > 0)
      .map(({ values }) => values as Settlement)
      .find(({ state }) => state === 'open');
    if (settled === undefined) {
      this.#check(pushes.length === 0, 'messages are made of a request that another has resolved');
      return;
    }
    const { school, recipient: classId, payload, createdAt } = this.#known(settled.id);
    const areItsOwn = pushes.every(({ request_id }) => request_id === settled.id);
    this.#check(areItsOwn, 'a message does not know of which request it was made');
    const recipients = pushes.map(({ recipient }) => recipient);
    const expected = devicesOf(school, classId);
    this.#check(new Set(recipients).size === recipients.length, 'a device gets a note twice');
    this.#check(
      recipients.every((device) => expected.includes(device)),
      'a device of another class gets the note',
    );
    const left = expected.filter((device) => !recipients.includes(device));
    this.#check(
      left.every((device) => this.#deadTokens.has(device)),
      'a device of the class does not get the note',
    );
    const key = JSON.stringify([school, classId, payload]);
    const before = this.#resolved.get(key) ?? [];
    const repeated = before.some((time) => time > createdAt - this.#rules.noteRepeatMs);
    this.#check(!repeated, `a note goes to a class twice: ${settled.id}`);
    // Not by the settlement, in which the clocks may show something else.
    const made = pushes.slice(0, 1).map(({ created_at }) => created_at);
    this.#resolved.set(key, [...before, ...made]);
  }

  /** Returns true if the clocks were set since a time was read off them: nothing waits for so long for the store. */
  #isOfOtherClocks(time: number): boolean {
    return Math.abs(this.#time.wall() - time) > LONGEST_STORE_MS;
  }

  #checkLimits(code: Known): void {
    // By the time that it was taken on at, the last day's codes are another day's, and may be masked by now.
    if (this.#isOfOtherClocks(code.createdAt)) return;
    const { repeatMs, coolDownMs, perTenMinutes, perDay, perDayOverall } = this.#rules;
    const codes = [...this.#messages.values(), code].filter(({ channel }) => channel === 'sms');
    const ofPhone = codes.filter(({ recipient }) => recipient === code.recipient);
    const textOf = ({ payload }: Known): string => payload['code'] ?? '';
    const since = (ms: number): readonly Known[] =>
      ofPhone.filter(({ createdAt }) => createdAt > code.createdAt - ms);
    const others = (ms: number): readonly Known[] => since(ms).filter((other) => other !== code);
    const isRepeated = (other: Known): boolean => textOf(other) === textOf(code);
    const isDead = (other: Known): boolean => DEAD.includes(other.state);
    const again = others(repeatMs).some((other) => isRepeated(other) && !isDead(other) && !other.isForgotten);
    this.#check(!again, `the code ${code.id} is sent twice within the time for repetitions`);
    const limits = [
      [
        1 + others(coolDownMs).filter((other) => !isRepeated(other) || !isDead(other)).length,
        coolDownMs && 1,
      ],
      [since(10 * MINUTE_MS).length, perTenMinutes],
      [since(DAY_MS).length, perDay],
      [codes.filter((other) => dayOf(other) === dayOf(code)).length, perDayOverall],
    ] as const;
    for (const [count, most] of limits) {
      const isWithin = most === 0 || count <= most;
      this.#check(isWithin, `a limit on codes is exceeded: ${String(count)} instead of ${String(most)}`);
    }
  }

  /**
   * Sent twice for the documented reason: the process ended, or was kept from its work, between the request and the
   * record of its answer; a push message also where nobody knows whether the provider has it.
   */
  #isExplained(message: Known, first: Sending, second: Sending): boolean {
    if (message.channel === 'push' && first.outcome?.kind === 'unknown') return true;
    const between = [first.startedAt, second.startedAt] as const;
    const isHindered = message.hindered.some((time) => time >= between[0] && time <= between[1]);
    return isHindered || first.host.wasDisturbed(...between) || this.#time.hasJumped(...between);
  }

  #known(id: string): Known {
    const message = this.#messages.get(id);
    if (message === undefined) throw (this.violation ??= new Violation(`${id} is not known`));
    return message;
  }

  #describe({ channel, id, state, leaseUntil, expiresAt }: Known): string {
    const now = this.#time.wall();
    return `${channel} ${id} (${state}, lease ${String(leaseUntil - now)}, life ${String(expiresAt - now)})`;
  }

  #check(holds: boolean, what: string): void {
    if (holds) return;
    // Thrown into the delivery it would be one failure of many: the world ends with it all the same.
    this.violation ??= new Violation(what);
    throw this.violation;
  }
}

function keyOf({ gateway, providerId }: Pick<GatewayReport, 'gateway' | 'providerId'>): string {
  return `${gateway} ${providerId}`;
}

function dayOf({ createdAt }: Known): number {
  return Math.floor(createdAt / DAY_MS);
}
