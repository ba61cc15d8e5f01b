import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeSchool } from '../../scripts/harness';
import { keyForm, type NewMessage, type Store } from '../../src/store';
import { EXACT_KEYS, keyCollation } from '../../src/support/key-collation';
import { type CommandEnd, runCommand } from '../harness/run-command';
import { ENGINES, useDatabase } from '../harness/test-databases';

const SCHOOL = 'http://school.example';
const PHONE = '+905551112233';
const NOW = Date.now();
const HOUR = 3_600_000;

describe.each(ENGINES)('the command forget on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    await store.importFolder(
      writeSchool(join(database.folder, 'csv'), {
        schools: [`${SCHOOL},School`],
        classes: [`${SCHOOL},1A,First`],
        students: ['S1,Ada Lovelace', 'S2,Bea'].map((student) => `${SCHOOL},${student},Y,1A`),
        devices: [
          `DEV-one-old,${SCHOOL},S1,token-secret-1,android,2026-01-01T00:00:00Z`,
          `DEV-one-new,${SCHOOL},S1,token-secret-2,android,2026-02-01T00:00:00Z`,
          `DEV-two,${SCHOOL},S2,token-3,android,`,
        ],
      }),
    );
  });

  async function run(...args: readonly string[]) {
    return lines(await runCommand('forget', args, place()));
  }
  const place = () => ({
    folder: database.folder,
    settings: { DATABASE_URL: database.url, DEFAULT_COUNTRY: 'TR' },
  });
  const lines = ({ code, out, err }: CommandEnd) => ({ code, out: out.trimEnd().split('\n'), err });
  const enqueue = (message: Pick<NewMessage, 'channel' | 'recipient'> & Partial<NewMessage>) =>
    store.messages.enqueue({
      ...{ school: '', payload: { code: '84021' }, createdAt: NOW, expiresAt: NOW + HOUR, dedupeKey: null },
      ...message,
    });
  /** Brings the oldest one of a channel to its end, or leaves it with a worker. */
  async function take(channel: 'sms' | 'push', state: 'sent' | 'sending'): Promise<void> {
    const lease = { owner: 'w', leaseUntil: NOW + HOUR };
    const [claimed] = await store.outbox.claim({ ...lease, channel, limit: 1, now: NOW });
    if (state === 'sending') return;
    await store.outbox.settle({
      ...{ ...lease, id: claimed?.id ?? '', state, nextAttemptAt: NOW, attempted: true, now: NOW },
      ...{ erase: false, providerId: null, reason: null },
    });
  }
  const left = async () =>
    (await store.deliveries.list({}, 100)).map(({ recipient, state }) => `${recipient} ${state}`).toSorted();

  /** Returns the erasures that the log of a service must show. */
  const erasures = () => store.write((transaction) => transaction.erasures.take());

  it('deletes the codes to a phone in any spelling, and leaves those to others', async () => {
    await enqueue({ channel: 'sms', recipient: PHONE });
    await take('sms', 'sent');
    await enqueue({ channel: 'sms', recipient: '05551112233' });
    await enqueue({ channel: 'sms', recipient: '+905551112234' });
    await enqueue({ channel: 'sms', recipient: '+90...33' });
    const before = await left();

    const dry = await run('--phone', '0555 111 22 33', '--dry-run');
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out.slice(0, 5).map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      ...['data to delete', 'students 0', 'devices 0', 'messages 2', 'not yet sent 1'],
    ]);
    expect(dry.out.at(-1)).toBe('Dry run: nothing was deleted.');
    expect(await left()).toEqual(before);
    expect(await erasures()).toEqual([]);

    const { code, out } = lines(await runCommand('forget', ['--phone', '0555 111 22 33'], place()));
    expect(code).toBe(0);
    expect(out).toContain('messages             2');
    expect(out).toContain('not yet sent         1');
    expect(out.join()).not.toContain('5551112233');
    expect(await left()).toEqual(['+90...33 queued', '+905551112234 queued']);
    expect(await run('--phone', PHONE)).toMatchObject({
      code: 1,
      out: expect.arrayContaining(['Nothing found.']) as string[],
    });
    expect(await erasures()).toHaveLength(1);
  });

  it('deletes a student with devices and push messages', async () => {
    const push = (recipient: string) => enqueue({ channel: 'push', recipient, school: SCHOOL });
    for (const device of ['DEV-one-old', 'DEV-one-new', 'DEV-two']) await push(device);
    await take('push', 'sent');
    const { code, out } = await run('--student', `${SCHOOL}/`, 'S1');
    expect(code).toBe(0);
    expect(out.slice(0, 5).map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      ...['data deleted', 'students 1', 'devices 2', 'messages 2', 'not yet sent 1'],
    ]);
    expect(await left()).toEqual(['DEV-two queued']);
    const at = expect.any(Number) as number;
    expect(await erasures()).toEqual([
      { command: 'forget', removed: { students: 1, devices: 2, messages: 2, cancelled: 1, refused: 0 }, at },
    ]);
    expect((await store.students.ofSchool(SCHOOL, 'Y')).map(({ id }) => id)).toEqual(['S2']);
    expect(await store.devices.tokenOf('DEV-one-old')).toBe('');
    if (engine === 'sqlite') {
      await store.close();
      const file = readFileSync(join(database.folder, 'service.db'), 'latin1');
      for (const gone of ['Ada Lovelace', 'DEV-one', 'token-secret']) expect(file.includes(gone)).toBe(false);
      expect(file).toContain('DEV-two');
    }
  });

  it('deletes a student of one school, and leaves those with the same id in others', async () => {
    const [url, other] = [`${SCHOOL}/branch`, 'http://other.example'];
    await store.importFolder(
      writeSchool(join(database.folder, 'others'), {
        schools: [`${url},Branch`, `${other},Other`],
        students: [url, other].map((school) => `${school},S1,Namesake,Y,`),
        devices: [url, other].map(
          (school, at) => `DEV-other-${String(at)},${school},S1,token-o${String(at)},ios,`,
        ),
      }),
    );
    for (const recipient of ['DEV-one-new', 'DEV-other-0', 'DEV-other-1']) {
      await enqueue({ channel: 'push', recipient, school: SCHOOL });
    }
    expect(await run('--student', SCHOOL, 'S1')).toMatchObject({ code: 0 });
    expect(await left()).toEqual(['DEV-other-0 queued', 'DEV-other-1 queued']);
    for (const [at, school] of [url, other].entries()) {
      const device = `DEV-other-${String(at)}`;
      expect(await store.students.ofSchool(school, 'Y')).toMatchObject([{ id: 'S1', deviceId: device }]);
      expect(await store.devices.tokenOf(device)).toBe(`token-o${String(at)}`);
    }
    expect(await store.devices.tokenOf('DEV-one-new')).toBe('');
  });

  it('deletes a device, after which the student has the other one', async () => {
    await enqueue({ channel: 'push', recipient: 'DEV-one-new', school: SCHOOL });
    expect(await run('--device', 'DEV-one-new')).toMatchObject({ code: 0, err: '' });
    expect(await left()).toEqual([]);
    const [student] = await store.students.ofSchool(SCHOOL, 'Y');
    expect(student).toMatchObject({ id: 'S1', deviceId: 'DEV-one-old' });
  });

  it('reports messages that a worker is sending', async () => {
    await enqueue({ channel: 'sms', recipient: PHONE });
    await take('sms', 'sending');
    await enqueue({ channel: 'sms', recipient: PHONE });
    const { code, out } = await run('--phone', PHONE);
    expect(code).toBe(1);
    expect(out).toContain(
      '1 message being sent right now cannot be deleted. Run the command again in a minute.',
    );
    expect(await left()).toEqual([`${PHONE} sending`]);
  });

  it.each([
    [[], 'Give exactly one of --phone, --device and --student.'],
    [['--phone', '1', '--device', '2'], 'Give exactly one of --phone, --device and --student.'],
    [['--student', SCHOOL], '--student needs the school URL and the student id.'],
    [['--phone', 'Ada'], '--phone: not a valid phone number.'],
  ])('refuses %j', async (args, error) => {
    const { code, err } = await run(...args);
    expect(code).toBe(1);
    expect(err).toContain(error);
    expect(err).not.toContain('Ada');
  });
});

describe.each(ENGINES)('the command forget with KEY_COLLATION on %s', (engine) => {
  const database = useDatabase(engine);
  const keys = keyCollation('Turkish_CI_AS') ?? EXACT_KEYS;

  it.each([
    [['--student', SCHOOL, 'ÖğI'], ['DEV-two']],
    [['--student', `${SCHOOL}/`, 'ÖĞI '], ['DEV-two']],
    [['--device', 'Dev-İKİ '], ['DEV-two']],
    [
      ['--student', SCHOOL, 'ÖĞİ'],
      ['DEV-İki', 'DEV-two'],
    ],
    [
      ['--device', 'DEV-IKI'],
      ['DEV-İki', 'DEV-two'],
    ],
  ])('compares the ids of %j as the collation does', async (args, left) => {
    const store = await database.open({ keys });
    await store.importFolder(
      writeSchool(join(database.folder, 'csv'), {
        schools: [`${SCHOOL},School`],
        students: ['Öğı,Ada', 'S2,Bea'].map((student) => `${SCHOOL},${student},Y,`),
        devices: [`DEV-İki,${SCHOOL},Öğı,token-1,android,`, `DEV-two,${SCHOOL},S2,token-2,android,`],
      }),
    );
    const settings = { DATABASE_URL: database.url, KEY_COLLATION: keys.name };
    const { code } = await runCommand('forget', args, { folder: database.folder, settings });
    const devices = ['DEV-İki', 'DEV-two'];
    const tokens = await Promise.all(devices.map((id) => store.devices.tokenOf(keyForm(keys.fold)(id))));
    expect(devices.filter((_, at) => tokens[at] !== '')).toEqual(left);
    expect(code).toBe(left.length === 1 ? 0 : 1);
  });
});
