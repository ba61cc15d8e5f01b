import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { pino } from 'pino';
import { SMTPServer } from 'smtp-server';

import { endServer, listen, portOf } from '../../../scripts/harness';
import { RULE_GROUPS } from '../../../src/admin/alerts/alerts';
import { HOLD_ENDED } from '../../../src/admin/alerts/hold-rules';
import { AlertNotifier } from '../../../src/features/alarms/notifier';
import { type Alert, alertFor, isChecked } from '../../../src/admin/alerts/rule';
import { loadConfig } from '../../../src/config';
import { type Store, StoreError } from '../../../src/store';
import { runCommand } from '../../harness/run-command';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { useFolderPerTest } from '../../harness/use-folder';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SECRET = 'a secret of the webhook';

const alertOf = (name: string, match = {}): Alert => {
  const rule = Object.values(RULE_GROUPS)
    .flat()
    .filter(isChecked)
    .find((each) => each.name === name);
  if (rule === undefined) throw new Error(`No rule ${name}`);
  return alertFor(rule, match);
};
/** An alert that notifies at once. */
const CODES_FAIL = alertOf('CodesFail', { value: '51 of 266 (19%)' });
const STOPPED = alertOf('SendingStopped', { labels: { channel: 'sms' }, value: '20 min' });
/** One that notifies after two minutes. */
const CIRCUIT = alertOf('ProviderLeftAlone', { labels: { channel: 'sms' } });
const ACCOUNT = alertOf('AccountRefused', {
  labels: { channel: 'sms', gateway: 'okulsms' },
  summary: {
    text: '{who} refuses the account ({answer})',
    values: { who: 'okulsms', answer: '12: no credit left' },
  },
  advice: ['Correct the credentials or the sender, or top up the credit.'],
});
const DISK_LOW = alertOf('DiskLow', { labels: { instance: 'a' }, value: '12%' });

/** A chat service, with what it got and how it answers. */
class FakeChat {
  status = 200;
  /** Alerts that it refuses, with the status. */
  refusals: Readonly<Record<string, number>> = {};
  readonly bodies: Record<string, unknown>[] = [];
  readonly signed: boolean[] = [];
  readonly #server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const timestamp = String(request.headers['x-alert-timestamp']);
      const digest = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
      // Seconds, as docs/alerts.md says.
      const isTime = /^\d{10}$/.test(timestamp);
      this.signed.push(isTime && request.headers['x-alert-signature'] === `sha256=${digest}`);
      const content = JSON.parse(body) as Record<string, unknown>;
      this.bodies.push(content);
      response.writeHead(this.refusals[String(content['alert'])] ?? this.status).end();
    });
  });

  open = (): Promise<unknown> => listen(this.#server);
  close = (): Promise<void> => endServer(this.#server);

  get url(): string {
    return `http://127.0.0.1:${String(portOf(this.#server))}/hook`;
  }

  /** The events that it received, such as `started CodesFail`. */
  get events(): readonly string[] {
    return this.bodies.map(({ event, alert }) => `${String(event)} ${String(alert)}`);
  }
}

/** A mail server, with the mails that it accepted. */
class FakeMail {
  readonly mails: string[] = [];
  readonly recipients: string[] = [];
  /** Codes with which it refuses recipients. */
  refusals: Readonly<Record<string, number>> = {};
  readonly #server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, callback) => {
      const responseCode = this.refusals[address];
      if (responseCode !== undefined) callback(Object.assign(new Error('Not now'), { responseCode }));
      else {
        this.recipients.push(address);
        callback();
      }
    },
    onData: (stream, _session, callback) => {
      void text(stream).then((mail) => {
        this.mails.push(mail);
        callback();
      });
    },
    onAuth: ({ username = '', password }, _session, callback) => {
      if (password === 'right password') callback(null, { user: username });
      else callback(new Error('Wrong password'));
    },
  });

  async open(): Promise<void> {
    const listening = once(this.#server.server, 'listening');
    this.#server.listen(0, '127.0.0.1');
    await listening;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  get port(): number {
    // It listens on a port, not on a pipe.
    return (this.#server.server.address() as AddressInfo).port;
  }

  get subjects(): readonly (string | undefined)[] {
    return this.mails.map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1]);
  }
}

const folder = useFolderPerTest();
let chat: FakeChat;
let mail: FakeMail;
beforeEach(async () => {
  chat = new FakeChat();
  mail = new FakeMail();
  await Promise.all([chat.open(), mail.open()]);
});
afterEach(async () => {
  await Promise.all([chat.close(), mail.close()]);
});

const chatReceiver = () => ({ webhook: { url: chat.url, secret: SECRET } });
const mailReceiver = (fields = {}) => ({
  email: {
    ...{ host: '127.0.0.1', port: mail.port, encryption: 'none' },
    ...{ from: 'service@school.example', to: ['office@school.example', 'it@school.example'], ...fields },
  },
});
const written = (receivers: object): string => {
  const file = join(folder(), 'alerts.json');
  writeFileSync(file, JSON.stringify({ receivers }), { mode: 0o600 });
  return file;
};
const configOf = (receivers: object) =>
  loadConfig({ DATA_DIR: folder(), ALERTS_FILE: written(receivers), NO_PROXY: '*' });

/** A store whose connection the test can cut. */
function cuttable({ alertNotes, schools }: Pick<Store, 'alertNotes' | 'schools'>) {
  const isDown = { value: false };
  const whileUp = <T>(work: () => Promise<T>): Promise<T> =>
    isDown.value ? Promise.reject(new StoreError('unavailable', 'gone')) : work();
  const cut = {
    alertNotes: {
      take: (...args: Parameters<typeof alertNotes.take>) => whileUp(() => alertNotes.take(...args)),
      save: (...args: Parameters<typeof alertNotes.save>) => whileUp(() => alertNotes.save(...args)),
    },
    schools,
  };
  return { isDown, cut };
}

describe.each(ENGINES)('notifying on %s', (engine) => {
  const database = useDatabase(engine);

  /** A node with a clock of its own. */
  const nodeOn = (store: ConstructorParameters<typeof AlertNotifier>[1]['store'], receivers: object) => {
    const clock = { now: NOW };
    const lines: string[] = [];
    const open = (node: string) =>
      new AlertNotifier(configOf(receivers), {
        ...{ store, node, now: () => clock.now },
        logger: pino({}, { write: (line) => lines.push(line) }),
      });
    return { clock, lines, open };
  };

  it('sends an alert when it starts, after four hours, and when it ends', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const notifier = open('a:1');
    await notifier.notify([CODES_FAIL]);
    expect(chat.bodies).toEqual([
      {
        ...{ event: 'started', alert: 'CodesFail', severity: 'critical', node: 'a:1' },
        summary: 'Codes are not delivered',
        description: '51 of 266 (19%) codes failed or expired in the last 10 minutes.',
        advice: 'Open the failed codes: each shows its reason and what to do.',
        since: '2026-03-02T10:00:00.000Z',
      },
    ]);
    expect(chat.signed).toEqual([true]);
    for (clock.now = NOW + MINUTE; clock.now < NOW + 4 * HOUR; clock.now += 30 * MINUTE)
      await notifier.notify([CODES_FAIL]);
    expect(chat.events).toEqual(['started CodesFail']);
    clock.now = NOW + 4 * HOUR;
    await notifier.notify([CODES_FAIL]);
    await notifier.notify([CODES_FAIL]);
    expect(chat.events).toEqual(['started CodesFail', 'reminder CodesFail']);
    clock.now += 59_000;
    await notifier.notify([]);
    expect(chat.events).toHaveLength(2);
    clock.now += 1000;
    await notifier.notify([]);
    await notifier.notify([]);
    expect(chat.events).toEqual(['started CodesFail', 'reminder CodesFail', 'ended CodesFail']);
    clock.now += HOUR;
    await notifier.notify([CODES_FAIL]);
    expect(chat.events.slice(3)).toEqual(['started CodesFail']);
  });

  it('waits as long as the rule requires, and ignores alerts that end before', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const notifier = open('a:1');
    await notifier.notify([CIRCUIT]);
    clock.now += MINUTE;
    await notifier.notify([]);
    clock.now += 2 * MINUTE;
    await notifier.notify([]);
    expect(chat.events).toEqual([]);
    await notifier.notify([CIRCUIT]);
    clock.now += 2 * MINUTE;
    await notifier.notify([CIRCUIT]);
    expect(chat.events).toEqual(['started ProviderLeftAlone']);
  });

  it('sends a cause once, and not what it explains, unless that goes on without it', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const notifier = open('a:1');
    const symptoms = [CODES_FAIL, STOPPED].map((alert) => ({ ...alert, cause: ACCOUNT.key }));
    const over = alertFor(HOLD_ENDED, {});
    // Before the worker had reported what holds them.
    await notifier.notify([STOPPED]);
    for (let minute = 0; minute < 5; minute += 1) {
      await notifier.notify([ACCOUNT, ...symptoms]);
      clock.now += MINUTE;
    }
    expect(chat.events).toEqual(['started SendingStopped', 'started AccountRefused']);
    expect(chat.bodies[1]).toMatchObject({
      summary: 'okulsms refuses the account (12: no credit left)',
      advice: expect.stringContaining('top up the credit') as string,
    });
    await notifier.notify([{ ...CODES_FAIL, cause: over.key }, over]);
    expect(chat.events.slice(2).toSorted()).toEqual(['ended AccountRefused', 'ended SendingStopped']);
    clock.now += MINUTE;
    await notifier.notify([CODES_FAIL]);
    expect(chat.events.slice(4)).toEqual(['started CodesFail']);
  });

  it('sends nothing about an alert that vanished just before its time', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const notifier = open('a:1');
    await notifier.notify([CIRCUIT]);
    clock.now += 2 * MINUTE - 1;
    await notifier.notify([CIRCUIT]);
    for (const passed of [1, 30_000, 29_998, 1, MINUTE]) {
      clock.now += passed;
      await notifier.notify([]);
    }
    expect(chat.events).toEqual([]);
  });

  it('repeats nothing after a restart, and reports the end of alerts that started before', async () => {
    const store = await database.open();
    const { clock, open } = nodeOn(store, { chat: chatReceiver() });
    const before = open('a:1');
    await before.notify([CODES_FAIL]);
    await before.stop();
    clock.now += 10_000;
    const after = open('b:1');
    await after.notify([CODES_FAIL, STOPPED]);
    expect(chat.events).toEqual(['started CodesFail', 'started SendingStopped']);
    clock.now += MINUTE;
    await after.notify([STOPPED]);
    expect(chat.events.slice(2)).toEqual(['ended CodesFail']);
  });

  it('notifies from one node only, and from another when the first is gone', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const [one, other] = [open('a:1'), open('b:1')];
    await Promise.all([one.notify([CODES_FAIL]), other.notify([CODES_FAIL])]);
    expect(chat.events).toEqual(['started CodesFail']);
    const [{ node: first } = {}] = chat.bodies;
    const survivor = first === 'a:1' ? other : one;
    clock.now += 59_000;
    await survivor.notify([CODES_FAIL, DISK_LOW]);
    expect(chat.events).toHaveLength(1);
    clock.now += 11 * MINUTE;
    await survivor.notify([CODES_FAIL, DISK_LOW]);
    clock.now += 10 * MINUTE;
    await survivor.notify([CODES_FAIL, DISK_LOW]);
    expect(chat.events).toEqual(['started CodesFail', 'started DiskLow']);
    expect(chat.bodies[1]).toMatchObject({ node: first === 'a:1' ? 'b:1' : 'a:1' });
  });

  it('leaves the lease to its holder when a node stops that does not notify', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const [holder, other, third] = [open('a:1'), open('b:1'), open('c:1')];
    for (const node of [holder, other]) await node.notify([CODES_FAIL]);
    await other.stop();
    clock.now += 10_000;
    for (const node of [third, holder]) await node.notify([CODES_FAIL]);
    expect(chat.events).toEqual(['started CodesFail']);
  });

  it('reads the database again once another node has taken over from one that could not save', async () => {
    const store = await database.open();
    const { isDown, cut } = cuttable(store);
    const one = nodeOn(cut, { chat: chatReceiver() });
    const other = nodeOn(store, { chat: chatReceiver() });
    const [before, after] = [one.open('a:1'), other.open('b:1')];
    await before.notify([CODES_FAIL]);
    isDown.value = true;
    one.clock.now = NOW + 10_000;
    await before.notify([CODES_FAIL, STOPPED]);
    other.clock.now = NOW + 2 * MINUTE;
    await after.notify([CODES_FAIL]);
    isDown.value = false;
    one.clock.now = NOW + 3 * MINUTE - 1;
    await before.notify([CODES_FAIL]);
    other.clock.now = NOW + 3 * MINUTE;
    await after.notify([]);
    await after.stop();
    expect(chat.events).toEqual(['started CodesFail', 'started SendingStopped', 'ended CodesFail']);
    one.clock.now = NOW + 3 * MINUTE + 10_000;
    await before.notify([]);
    expect(chat.events).toHaveLength(3);
  });

  it('retries a failing webhook after a minute, and meanwhile sends to the others', async () => {
    const receivers = { chat: chatReceiver(), office: mailReceiver() };
    const { clock, lines, open } = nodeOn(await database.open(), receivers);
    const notifier = open('a:1');
    chat.status = 503;
    await notifier.notify([CODES_FAIL]);
    expect(mail.subjects).toEqual(['Codes are not delivered (critical)']);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ receiver: 'chat', alert: 'CodesFail', reason: 'HTTP 503' }),
    ]);
    clock.now += 59_000;
    await notifier.notify([CODES_FAIL]);
    expect(chat.events).toHaveLength(1);
    chat.status = 204;
    clock.now += 1000;
    await notifier.notify([CODES_FAIL]);
    await notifier.notify([CODES_FAIL]);
    expect(chat.events).toEqual(['started CodesFail', 'started CodesFail']);
    expect(mail.mails).toHaveLength(1);
    // A redirect is not followed.
    chat.status = 302;
    for (let minutes = 0; minutes < 5; minutes += 1) {
      clock.now += MINUTE;
      await notifier.notify([]);
    }
    chat.status = 204;
    clock.now += MINUTE;
    await notifier.notify([]);
    await notifier.notify([]);
    expect(chat.events.slice(2)).toEqual(Array.from({ length: 6 }, () => 'ended CodesFail'));
    expect(mail.mails).toHaveLength(2);
  });

  it('waits no longer than usual after the clock was set back by a day', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const notifier = open('a:1');
    await notifier.notify([STOPPED]);
    chat.refusals = { CodesFail: 503 };
    await notifier.notify([STOPPED, CIRCUIT, CODES_FAIL]);
    clock.now -= 24 * HOUR;
    chat.refusals = {};
    const sentSince = async (active: readonly Alert[]): Promise<readonly string[]> => {
      const before = chat.events.length;
      await notifier.notify(active);
      return chat.events.slice(before);
    };
    // What waited for the other clock's minute is due.
    expect(await sentSince([STOPPED, CIRCUIT, CODES_FAIL])).toEqual(['started CodesFail']);
    clock.now += 2 * MINUTE;
    expect(await sentSince([CIRCUIT, CODES_FAIL])).toEqual([
      ...['ended SendingStopped', 'started ProviderLeftAlone'],
    ]);
    clock.now += 4 * HOUR;
    expect(await sentSince([CIRCUIT, CODES_FAIL])).toEqual([
      ...['reminder ProviderLeftAlone', 'reminder CodesFail'],
    ]);
  });

  it('sends the most severe first, and each alert whatever becomes of the others', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: { severity: 'info', ...chatReceiver() } });
    const notifier = open('a:1');
    const info = alertOf('SettingsWarn', { value: '3' });
    chat.refusals = { SettingsWarn: 400, CodesFail: 500 };
    await notifier.notify([info, DISK_LOW]);
    expect(chat.events).toEqual(['started SettingsWarn']);
    clock.now += 10 * MINUTE;
    await notifier.notify([info, DISK_LOW, CODES_FAIL]);
    const events = ['started CodesFail', 'started DiskLow', 'started SettingsWarn'];
    expect(chat.events.slice(1)).toEqual(events);
    // A refused one, too, waits for no other.
    clock.now += MINUTE;
    await notifier.notify([info, STOPPED, CODES_FAIL]);
    expect(chat.events.slice(4)).toEqual([
      ...['started CodesFail', 'started SendingStopped', 'ended DiskLow', 'started SettingsWarn'],
    ]);
  });

  it('names addresses that a mail server refuses, and sends later to those that it takes later', async () => {
    const receivers = { office: mailReceiver({ to: ['a@x.example', 'b@x.example', 'c@x.example'] }) };
    const { clock, lines, open } = nodeOn(await database.open(), receivers);
    mail.refusals = { 'b@x.example': 550, 'c@x.example': 451 };
    const before = open('a:1');
    await before.notify([CODES_FAIL]);
    expect(mail.recipients).toEqual(['a@x.example']);
    const refused = { receiver: 'office', alert: 'CodesFail', msg: 'an alert was not sent to an address' };
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { ...refused, address: 'b@x.example', reason: '550 Not now' },
      { ...refused, address: 'c@x.example', reason: '451 Not now' },
    ]);
    await before.stop();
    clock.now += MINUTE;
    const after = open('b:1');
    await after.notify([CODES_FAIL]);
    expect(mail.recipients).toEqual(['a@x.example']);
    mail.refusals = { 'b@x.example': 550 };
    for (let minute = 0; minute < 3; minute += 1, clock.now += MINUTE) await after.notify([CODES_FAIL]);
    expect(mail.recipients).toEqual(['a@x.example', 'c@x.example']);
    expect(mail.subjects).toHaveLength(2);
  });

  it('sends the end of an alert to an address whose mail server takes it minutes later', async () => {
    const receivers = { office: mailReceiver({ to: ['a@x.example', 'b@x.example'] }) };
    const { clock, open } = nodeOn(await database.open(), receivers);
    const notifier = open('a:1');
    await notifier.notify([CODES_FAIL]);
    mail.recipients.length = 0;
    mail.refusals = { 'b@x.example': 451 };
    for (clock.now += MINUTE; clock.now < NOW + 5 * MINUTE; clock.now += MINUTE) await notifier.notify([]);
    expect(mail.recipients).toEqual(['a@x.example']);
    mail.refusals = {};
    for (let minute = 0; minute < 3; minute += 1, clock.now += MINUTE) await notifier.notify([]);
    expect(mail.recipients).toEqual(['a@x.example', 'b@x.example']);
    expect(mail.subjects.slice(1)).toEqual(
      Array.from({ length: 2 }, () => `Resolved: ${mail.subjects[0] ?? ''}`),
    );
  });

  it('sends at once to receivers that are corrected, whatever their retries wait for', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const notifier = open('a:1');
    chat.status = 401;
    await notifier.notify([CODES_FAIL]);
    chat.status = 200;
    notifier.reload(configOf({ chat: chatReceiver() }));
    clock.now += 10_000;
    await notifier.notify([CODES_FAIL]);
    expect(chat.events).toEqual(['started CodesFail', 'started CodesFail']);
  });

  it('sends to the receivers in a replaced file, and keeps the old ones if the file is invalid', async () => {
    const { clock, open } = nodeOn(await database.open(), { chat: chatReceiver() });
    const notifier = open('a:1');
    await notifier.notify([CODES_FAIL]);
    notifier.reload(configOf({ chat: chatReceiver(), office: mailReceiver() }));
    expect(() => {
      notifier.reload(configOf({ chat: {} }));
    }).toThrow('needs either email or webhook');
    clock.now += 10_000;
    await notifier.notify([CODES_FAIL]);
    expect(chat.events).toEqual(['started CodesFail']);
    expect(mail.subjects).toEqual(['Codes are not delivered (critical)']);
  });

  it('sends each receiver only alerts of its severity', async () => {
    const receivers = { chat: { severity: 'critical', ...chatReceiver() }, office: mailReceiver() };
    const { clock, open } = nodeOn(await database.open(), receivers);
    const notifier = open('a:1');
    const info = alertOf('SettingsWarn', { value: '3' });
    await notifier.notify([CODES_FAIL, DISK_LOW, info]);
    clock.now += 10 * MINUTE;
    await notifier.notify([CODES_FAIL, DISK_LOW, info]);
    expect(chat.events).toEqual(['started CodesFail']);
    expect(mail.subjects).toEqual([
      'Codes are not delivered (critical)',
      'The disk of a is filling up (warning)',
    ]);
  });

  it('reports an unavailable database once, and its return', async () => {
    const { isDown, cut: store } = cuttable(await database.open());
    const { clock, open } = nodeOn(store, { chat: chatReceiver() });
    const [holder, other] = [open('a:1'), open('b:1')];
    await holder.notify([]);
    await other.notify([]);
    isDown.value = true;
    const down = alertOf('ServiceNotReady', { labels: { instance: 'a:1' } });
    for (const seconds of [0, 120, 130]) {
      clock.now = NOW + seconds * 1000;
      await holder.notify([down]);
      await other.notify([down]);
    }
    expect(chat.events).toEqual(['started ServiceNotReady']);
    isDown.value = false;
    clock.now += MINUTE;
    await holder.notify([]);
    expect(chat.events).toEqual(['started ServiceNotReady', 'ended ServiceNotReady']);
  });
});

describe('alerts test', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });
  const run = (receivers: object, args: readonly string[] = ['test']) =>
    runCommand('alerts', args, {
      folder: folder(),
      settings: {
        ...{ DATA_DIR: folder(), DATABASE_URL: database.url, ADMIN_PORT: 'off', NO_PROXY: '*' },
        ALERTS_FILE: written(receivers),
      },
    });

  it('sends a test alert to each receiver and shows the answers', async () => {
    const { code, out } = await run({
      office: mailReceiver({ user: 'service', password: 'right password' }),
      chat: chatReceiver(),
    });
    expect(out).toMatch(/^office: sent \(250 .*\)\nchat: sent \(HTTP 200\)\n$/);
    expect(code).toBe(0);
    expect(mail.recipients).toEqual(['office@school.example', 'it@school.example']);
    expect(mail.subjects).toEqual([expect.stringMatching(/: Test: This is a test of the alerts \(info\)$/)]);
    expect(mail.mails[0]).toContain('No action is needed.');
    expect(chat.events).toEqual(['test Test']);
  });

  it('shows why a receiver rejected it', async () => {
    chat.status = 500;
    mail.refusals = { 'office@school.example': 550, 'it@school.example': 550 };
    const { code, out } = await run({
      chat: chatReceiver(),
      office: mailReceiver(),
      auth: mailReceiver({ user: 'service', password: 'wrong' }),
      tls: mailReceiver({ encryption: 'starttls' }),
    });
    expect(out.split('\n').slice(0, -1)).toEqual([
      'chat: failed (HTTP 500)',
      expect.stringMatching(/^office: failed \(.*550.*\)$/),
      expect.stringMatching(/^auth: failed \(.*Wrong password.*\)$/),
      expect.stringMatching(/^tls: failed \(.*STARTTLS.*\)$/),
    ]);
    expect(code).toBe(1);
  });

  it.each([['first'], ['last']])('fails when only its %s receiver does', async (place) => {
    mail.refusals = { 'office@school.example': 550, 'it@school.example': 550 };
    const [chatAlone, office] = [{ chat: chatReceiver() }, { office: mailReceiver() }];
    const { code, out } = await run(
      place === 'first' ? { ...office, ...chatAlone } : { ...chatAlone, ...office },
    );
    expect(out).toContain('chat: sent (HTTP 200)\n');
    expect(out).toContain('office: failed');
    expect(code).toBe(1);
  });

  it('names each address that a mail server refused, and fails', async () => {
    mail.refusals = { 'it@school.example': 550 };
    const { code, out } = await run({ office: mailReceiver() });
    expect(out).toMatch(/^office: sent \(250 .*; not to it@school\.example: 550 Not now\)\n$/);
    expect(code).toBe(1);
  });

  it('fills in the texts of a chat service’s JSON template', async () => {
    await run({
      chat: {
        webhook: {
          url: chat.url,
          body: { text: '{event}: {summary} {unknown} {__proto__} {toString}', parts: [{ at: 1 }] },
        },
      },
    });
    expect(chat.bodies).toEqual([
      { text: 'test: This is a test of the alerts {unknown} {__proto__} {toString}', parts: [{ at: 1 }] },
    ]);
    expect(chat.signed).toEqual([false]);
  });

  it('lists the active alerts', async () => {
    const { code, out } = await run({}, []);
    expect(out).toContain('info: Trial mode: SMS and push messages are not sent (SampleInstallation)\n');
    expect(code).toBe(0);
  });

  it('lists the symptoms of an alert under it', async () => {
    const now = Date.now();
    const store = await database.open();
    const reason = { code: 'account_stopped', status: 200, detail: '12', meaning: 'no credit left' } as const;
    const hold = { cause: 'account', channel: 'sms', gateway: 'own', reason, since: now - 600_000 } as const;
    const routes = [{ channel: 'sms', gateways: ['own'] }] as const;
    await store.workers.say('w', { routes, holds: [{ ...hold, until: null }] }, now);
    await store.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' }, dedupeKey: null },
      ...{ createdAt: now - 200_000, expiresAt: now + 100_000 },
    });
    const { out } = await run({}, []);
    const lines = out.split('\n');
    const at = lines.indexOf('critical: own refuses the account (12: no credit left) (AccountRefused)');
    expect(at).toBeGreaterThanOrEqual(0);
    expect(lines[at + 3]).toMatch(/^ {2}- .+ \((?:CodesWait|SendingStopped)\): ./);
    expect(out).not.toMatch(/^\w+: .* \((?:CodesWait|SendingStopped)\)$/m);
  });

  it.each([
    [{ office: { email: { host: 'mail.example' } } }, 'receivers > office > email > from: '],
    [{ office: {} }, 'receivers > office: needs either email or webhook.'],
    [
      { office: { webhook: { url: 'ftp://x' } } },
      'receivers > office > webhook > url: is not a valid http or https URL.',
    ],
    [
      { office: { webhook: { url: 'https://x.example', secret: 'short' } } },
      'receivers > office > webhook > secret: must have at least 16 characters.',
    ],
    [{ 'a b': {} }, 'receivers > a b: '],
  ])('refuses a file with an error that names the place: %j', async (receivers, where) => {
    const { code, err } = await run(receivers);
    expect(err).toContain(`${join(folder(), 'alerts.json')} (ALERTS_FILE), ${where}`);
    expect(code).toBe(1);
  });
});
