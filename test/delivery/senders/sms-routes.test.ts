import { SYSTEM_TIMERS } from '../../../src/delivery/clock';
import type { Outcome } from '../../../src/delivery/outcome';
import { Provider } from '../../../src/delivery/senders/provider';
import { SmsRoutes } from '../../../src/delivery/senders/sms-routes';
import type { SmsTransports } from '../../../src/delivery/transports/transport';
import { SMS } from '../transports/transport-kit';

const SENT: Outcome = { kind: 'sent' };
const FAILING: Outcome = { kind: 'failing', reason: { code: 'provider_failing', status: 503 } };
const STOPPED: Outcome = { kind: 'stopped', reason: { code: 'account_stopped', status: 402 } };
const UNKNOWN: Outcome = { kind: 'unknown', reason: { code: 'provider_timeout' } };
const CIRCUIT = {
  attempts: 10,
  failedPart: 0.5,
  withinMs: 10_000,
  probeAfterMs: 15_000,
  stoppedProbeAfterMs: 60_000,
};
const NEVER = new AbortController().signal;

describe('SMS routes', () => {
  let now: number;
  let outcomes: Readonly<Record<string, Outcome>>;
  let asked: string[];
  let closed: string[];
  let idempotent: boolean;
  beforeEach(() => {
    now = 0;
    outcomes = {};
    asked = [];
    closed = [];
    idempotent = false;
  });

  const transports = (names: readonly string[], routes: SmsTransports['routes']): SmsTransports => ({
    transports: names.map((name) => ({
      name,
      idempotent,
      send: () => {
        asked.push(name);
        return Promise.resolve(outcomes[name] ?? SENT);
      },
      close: () => {
        closed.push(name);
        return Promise.resolve();
      },
    })),
    routes,
  });
  const make = (routes: SmsTransports['routes'] = [{ gateways: ['a', 'b'] }], names = ['a', 'b']) =>
    new SmsRoutes(
      transports(names, routes),
      (transport) =>
        new Provider(
          transport,
          { timeoutMs: 2 ** 30, circuit: CIRCUIT },
          { now: () => now, timers: { ...SYSTEM_TIMERS, elapsed: () => now } },
          () => undefined,
        ),
    );
  /** Sends a message as often as it takes, by the gateway that was recorded the last time. */
  const send = async (routes: SmsRoutes, times: number, { phone = SMS.phone, abandoned = 0 } = {}) => {
    let gateway: string | null = null;
    let attempts = 0;
    let outcome: Outcome = SENT;
    for (let turn = 0; turn < times; turn += 1) {
      attempts += 1;
      const answer = await routes.send({ ...SMS, phone }, { gateway, attempts, abandoned }, NEVER);
      ({ gateway, outcome } = answer);
      if (answer.asked === undefined) attempts -= 1;
    }
    return { gateway, outcome };
  };

  it('show the gateways of messages without those of test numbers, which hold up no one else', () => {
    const routes = make([
      { numbers: ['+905550000000'], gateways: ['b'] },
      { countries: ['TR'], gateways: ['a', 'b'] },
      { gateways: ['a'] },
    ]);
    expect(routes.routes).toEqual([
      { channel: 'sms', countries: ['TR'], gateways: ['a', 'b'] },
      { channel: 'sms', countries: undefined, gateways: ['a'] },
    ]);
  });

  it('use the first gateway', async () => {
    const routes = make();
    expect(await send(routes, 1)).toEqual({ gateway: 'a', outcome: SENT });
    expect(asked).toEqual(['a']);
    await routes.close();
    expect(closed).toEqual(['a', 'b']);
  });

  it('switch to the next after two certain failures, and start over after the last', async () => {
    outcomes = { a: FAILING, b: FAILING };
    await send(make(), 5);
    expect(asked).toEqual(['a', 'a', 'b', 'b', 'a']);
  });

  it.each([
    ['failing', 'b'],
    ['busy', 'b'],
    ['later', 'b'],
    ['refused', 'a'],
    ['dead-token', 'a'],
  ] as const)('after two attempts with the outcome %s, are at gateway %s', async (kind, gateway) => {
    outcomes = { a: { kind, reason: { code: 'service_failed' } } };
    expect(await send(make(), 2)).toMatchObject({ gateway, outcome: { kind } });
    expect(asked).toEqual(['a', 'a']);
  });

  it('switch to the next at once if a gateway is stopped, and return when it works again', async () => {
    const routes = make();
    outcomes = { a: STOPPED };
    expect((await send(routes, 2)).outcome).toEqual(SENT);
    expect(asked).toEqual(['a', 'b']);
    expect(routes.places()).toBe(Infinity);

    // The next message does not even ask it.
    expect(await send(routes, 1)).toEqual({ gateway: 'b', outcome: { kind: 'not-yet', until: 0 } });
    await send(routes, 2);
    expect(asked).toEqual(['a', 'b', 'b']);

    now = 60_000;
    outcomes = {};
    expect(await send(routes, 1)).toEqual({ gateway: 'a', outcome: SENT });
    await send(routes, 1);
    expect(asked).toEqual(['a', 'b', 'b', 'a', 'a']);
  });

  it('have no places while every gateway is paused, and later one for a probe', async () => {
    const routes = make();
    outcomes = { a: STOPPED, b: STOPPED };
    await send(routes, 2);
    expect(routes.places()).toBe(0);
    expect(await send(routes, 1)).toMatchObject({
      gateway: 'a',
      outcome: { kind: 'not-yet', until: 60_000 },
    });
    now = 60_000;
    expect(routes.places()).toBe(1);
  });

  it('never pass on a message that a gateway may have sent', async () => {
    idempotent = true;
    const routes = make();
    outcomes = { a: UNKNOWN };
    const { gateway, outcome } = await send(routes, 1);
    expect(outcome).toEqual({ ...UNKNOWN, repeatable: true });
    outcomes = { a: STOPPED };
    for (let attempts = 2; attempts < 6; attempts += 1) {
      const answer = await routes.send(SMS, { gateway, attempts, abandoned: 0 }, NEVER);
      expect(answer.gateway).toBe(gateway);
    }
    expect(new Set(asked)).toEqual(new Set(['a']));

    // Nor what a process had when it died.
    outcomes = { a: FAILING };
    await send(make(), 4, { abandoned: 1 });
    expect(new Set(asked)).toEqual(new Set(['a']));
  });

  it('are chosen by country, and otherwise by a route for all numbers', async () => {
    const routes = make([{ countries: ['DE', 'AT'], gateways: ['b'] }, { gateways: ['a'] }]);
    await send(routes, 1, { phone: '+4915123456789' });
    await send(routes, 1);
    await send(routes, 1, { phone: '555' });
    expect(asked).toEqual(['b', 'a', 'a']);
  });

  it('can be for single numbers, which hold up no others', async () => {
    const routes = make([
      { numbers: [SMS.phone], gateways: ['b'] },
      { countries: ['DE'], gateways: ['a'] },
      { gateways: ['a'] },
    ]);
    await send(routes, 1);
    await send(routes, 1, { phone: '+905551112234' });
    expect(asked).toEqual(['b', 'a']);
    outcomes = { a: STOPPED };
    await send(routes, 1, { phone: '+905551112234' });
    expect(routes.places()).toBe(0);
  });

  it('keep to the rate of each gateway, shared among all nodes', async () => {
    const given = transports(['a', 'b'], [{ gateways: ['a', 'b'] }]);
    const routes = make();
    routes.use({ ...given, transports: given.transports.map((each) => ({ ...each, rate: 8 })) });
    now = 10_000;
    expect(routes.places()).toBe(1);
    await send(routes, 1);
    expect([routes.places(), routes.untilPlaceMs()]).toEqual([
      0,
      expect.closeTo((1000 / 8 / 0.975) * 0.84, 1),
    ]);
    routes.shareAmong(4);
    now = 10_500;
    expect([routes.places(), routes.untilPlaceMs()]).toEqual([1, 0]);
    // One that is added later.
    const added = transports(['c'], [{ gateways: ['c'] }]);
    routes.use({ ...added, transports: added.transports.map((each) => ({ ...each, rate: 8 })) });
    now = 21_000;
    expect(routes.places()).toBe(1);
    await send(routes, 1);
    expect(routes.untilPlaceMs()).toBeCloseTo((1000 / 2 / 0.975) * 0.96, 1);
  });

  it('say whether a gateway declares a rate, and what the messages of each wait for', async () => {
    const routes = make();
    expect([routes.isRated, routes.holds]).toEqual([false, []]);
    outcomes = { b: STOPPED };
    await routes.send(SMS, { gateway: 'b', attempts: 1, abandoned: 0 }, NEVER);
    expect(routes.holds).toEqual([
      ['b', expect.objectContaining({ cause: 'account', reason: STOPPED.reason })],
    ]);
    const given = transports(['a', 'b'], [{ gateways: ['a', 'b'] }]);
    routes.use({
      ...given,
      transports: given.transports.map((each, at) => ({ ...each, rate: [undefined, 8][at] })),
    });
    expect(routes.isRated).toBe(true);
  });

  it('keep what they know of a gateway when the file is read again', async () => {
    const routes = make([{ gateways: ['a'] }], ['a']);
    outcomes = { a: STOPPED };
    await send(routes, 1);
    expect(routes.places()).toBe(0);
    routes.use(transports(['a'], [{ gateways: ['a'] }]));
    // One message, to probe it; a new gateway may get any number.
    expect(routes.places()).toBe(1);
  });

  it('can change while messages wait: the first gateway gets the messages of a removed one', async () => {
    const routes = make();
    routes.use(transports(['b', 'c'], [{ gateways: ['c', 'b'] }]));
    await routes.send(SMS, { gateway: 'a', attempts: 1, abandoned: 0 }, NEVER);
    await routes.send(SMS, { gateway: 'b', attempts: 1, abandoned: 0 }, NEVER);
    expect(asked).toEqual(['c', 'b']);
    expect(closed).toContain('a');
  });
});
