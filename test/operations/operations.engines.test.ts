import { codeAcceptance } from '../../src/delivery/policy/accept-code';
import {
  ClientError,
  createOperations,
  findSchool,
  type OperationName,
  type Operations,
  type OperationSettings,
  OPERATIONS,
  withoutSending,
} from '../../src/operations';
import type { Store } from '../../src/store';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { listMessages } from '../harness/list-messages';

const MINUTE = 60_000;

/** No limits on codes, any code format, and no worker to wake. */
function settings(store: Store, country: OperationSettings['country']): OperationSettings {
  const limits = { repeatMs: 0, coolDownMs: 0, perTenMinutes: 0, perDay: 0, perDayOverall: 0 };
  const acceptCode = codeAcceptance(store, { limits, countries: undefined }, () => undefined);
  return { country, isCode: () => true, acceptCode, wakeMarks: () => undefined };
}

describe.each(ENGINES)('on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let operations: Operations;
  let annotations: Record<string, string | number | boolean>;
  const call = {
    annotate: (fields: object): void => {
      Object.assign(annotations, fields);
    },
  };

  beforeEach(async () => {
    annotations = {};
    store = await database.open();
    operations = createOperations(store, settings(store, 'TR'));
  });

  describe('AuthCode', () => {
    it('stores one SMS to the number in E.164, which expires after five minutes', async () => {
      const before = Date.now();
      await expect(
        operations.AuthCode({ code: '123456', phone: '0555 111 22 33' }, call),
      ).resolves.toBeUndefined();

      const [message, ...others] = await listMessages(store, 10);
      expect(others).toEqual([]);
      expect(message).toMatchObject({
        channel: 'sms',
        state: 'queued',
        recipient: '+905551112233',
        school: '',
        payload: { code: '123456' },
        attempts: 0,
      });
      if (message === undefined) return;
      expect(message.createdAt).toBeGreaterThanOrEqual(before);
      expect(message.expiresAt - message.createdAt).toBe(5 * MINUTE);
      expect(annotations).toEqual({ phone: '+90...33', messageId: message.id });
    });

    it.each([['%s${x}'], ["';--"], ['12\n34'], ['a\0b'], ['👩‍👩‍👧İşçi']])(
      'keeps the code %p unchanged',
      async (code) => {
        await operations.AuthCode({ code, phone: '+905551112233' }, call);
        expect((await listMessages(store, 1))[0]?.payload).toEqual({ code });
      },
    );

    it.each([['call me'], ['5'.repeat(200)], ['+90555\r\n1112233'], ['＋９０ ５５５']])(
      'stores nothing for the number %p',
      async (phone) => {
        await expect(operations.AuthCode({ code: '1', phone }, call)).rejects.toThrow(ClientError);
        expect(await listMessages(store, 1)).toEqual([]);
      },
    );
  });

  describe('SendMarkNotes', () => {
    it.each([
      [
        'known',
        { id: 'N1', id_class: '1A', baseUrlSchool: 'HTTP://School.Example:80/' },
        'http://school.example',
      ],
      [
        'unknown',
        { id: 'no', id_class: 'such', baseUrlSchool: 'http://169.254.169.254/' },
        'http://169.254.169.254',
      ],
      ['no URL', { id: 'N1', id_class: '1A', baseUrlSchool: ' school 5 ' }, 'school 5'],
    ])('stores one message for a school that is %s', async (_what, args, school) => {
      await expect(operations.SendMarkNotes(args, call)).resolves.toBeUndefined();

      const [message, ...others] = await listMessages(store, 10);
      expect(others).toEqual([]);
      expect(message).toMatchObject({
        channel: 'mark',
        state: 'queued',
        recipient: args.id_class,
        school,
        payload: { note: args.id },
      });
      expect((message?.expiresAt ?? 0) - (message?.createdAt ?? 0)).toBe(24 * 60 * MINUTE);
      expect(annotations).toEqual({ messageId: message?.id });
    });

    it('gives a repeated note the same key, and another school, class or note another key', async () => {
      const requests = [
        { id: 'N1', id_class: '1A', baseUrlSchool: 'http://school.example' },
        { id: 'N1', id_class: '1A', baseUrlSchool: 'HTTP://School.Example:80/' },
        { id: 'N1', id_class: '1A', baseUrlSchool: 'http://other.example' },
        { id: 'N1', id_class: '1B', baseUrlSchool: 'http://school.example' },
        { id: 'N2', id_class: '1A', baseUrlSchool: 'http://school.example' },
      ];
      const keys: unknown[] = [];
      const enqueue = jest.spyOn(store.messages, 'enqueue');
      for (const request of requests) {
        await operations.SendMarkNotes(request, call);
        keys.push(enqueue.mock.lastCall?.[0].dedupeKey);
      }
      expect(keys[1]).toBe(keys[0]);
      expect(new Set(keys).size).toBe(4);
    });
  });
});

describe.each(ENGINES)('with the sample school on %s', (engine) => {
  const database = useDatabase(engine, { per: 'block', holds: 'sample school' });
  let operations: Operations;
  const annotations: Record<string, string | number | boolean> = {};
  const call = {
    annotate: (fields: object): void => {
      Object.assign(annotations, fields);
    },
  };

  beforeAll(async () => {
    const store = await database.open();
    operations = createOperations(store, settings(store, 'TR'));
  });
  beforeEach(() => {
    for (const name of Object.keys(annotations)) Reflect.deleteProperty(annotations, name);
  });

  describe('GetExamTableByExamId', () => {
    it.each([
      ['an exam', 'E1', { found: true, entries: 5 }, 200],
      ['an exam without a timetable', 'E2', { found: true, entries: 0 }, 200],
      ['an unknown exam', "E1' OR '1'='1", { found: false, entries: 0 }, 404],
      ['an impossible id', 'E1\0', { found: false, entries: 0 }, 404],
    ])('returns a document and logs what it read of %s', async (_what, ExamId, expected, status) => {
      const document = await operations.GetExamTableByExamId({ ExamId }, call);
      expect(document.status).toBe(status);
      expect(document.data).toHaveLength(expected.entries);
      expect(annotations).toEqual(expected);
    });
  });

  describe('GetStudentsNoteType', () => {
    it('returns a document and logs what it read', async () => {
      const document = await operations.GetStudentsNoteType({}, call);
      expect(document.data[0]).toEqual({ id: '1', name: 'Yazılı sınav' });
      expect(annotations).toEqual({ found: true, entries: 3 });
    });
  });

  describe('GetStudentSchool', () => {
    it('lists the students of the school with the flag, by id, with their current devices', async () => {
      const list = await operations.GetStudentSchool(
        { school_base_url: 'HTTP://SCHOOL.example:80/', show_active: 'Y' },
        call,
      );
      expect(list?.[0]).toEqual({
        id_student: 'S1',
        fullName: 'Ayşe Yılmazer',
        id_device: 'DEV-1',
        ShowActive: 'Y',
      });
      const ids = list?.map((student) => student?.id_student);
      expect(ids).toEqual(ids?.toSorted());
      expect(new Set(list?.map((student) => student?.ShowActive))).toEqual(new Set(['Y']));
      expect(annotations).toEqual({ entries: list?.length });
    });

    it('gives a student without a device an empty one', async () => {
      const list = await operations.GetStudentSchool(
        { school_base_url: 'http://school.example', show_active: 'Y' },
        call,
      );
      expect(list?.some((student) => student?.id_device === '')).toBe(true);
    });

    it.each([
      ['an unknown school', 'http://nowhere.example', 'Y'],
      ['a flag that no student has', 'http://school.example', '?'],
      ['an address inside the network', 'http://user@host@127.0.0.1/', 'Y'],
      ['a file', 'file:///etc/passwd', 'Y'],
    ])('lists no students for %s', async (_what, school_base_url, show_active) => {
      expect(await operations.GetStudentSchool({ school_base_url, show_active }, call)).toEqual([]);
    });
  });

  describe('GetTokenDevice', () => {
    it('returns the token of a device, and logs only its beginning', async () => {
      expect(await operations.GetTokenDevice({ id: 'DEV-1' }, call)).toBe('sample-token-01');
      expect(annotations).toEqual({ found: true, token: 'sample...' });
    });

    it.each([
      ['unknown', 'DEV-0'],
      ['without a token', 'DEV-3'],
      ['given by an impossible id', 'DEV-1\0'],
    ])('returns the empty string for a device that is %s', async (_what, id) => {
      expect(await operations.GetTokenDevice({ id }, call)).toBe('');
      expect(annotations).toEqual({ found: false });
    });
  });
});

describe('AuthCode tells the log and the caller what became of a code', () => {
  const database = useDatabase('sqlite');
  type Decision = Awaited<ReturnType<OperationSettings['acceptCode']>>;
  const LATER = 'Too many codes for this phone.';
  const PREMIUM = 'Codes are not sent to premium and satellite numbers.';
  const COUNTRY = 'Codes are not sent to phone numbers in this country.';
  interface Row {
    readonly decision: Decision;
    readonly noted: object;
    /** The text that the caller reads, and the one in the log. */
    readonly error?: readonly [string, string];
  }
  const refused = { kind: 'too-many', retryAfterSeconds: 7 } as const;
  const rows: readonly Row[] = [
    { decision: { kind: 'stored', messageId: 'A' }, noted: { messageId: 'A' } },
    {
      decision: { kind: 'stored', messageId: 'A', unusual: true },
      noted: { messageId: 'A', unusual: true },
    },
    { decision: { kind: 'repeated', messageId: 'A' }, noted: { messageId: 'A', repeated: true } },
    { decision: refused, noted: { retryAfterSeconds: 7 }, error: [`${LATER} Try again in 7 s.`, LATER] },
    {
      decision: { ...refused, unusual: true },
      noted: { retryAfterSeconds: 7, unusual: true },
      error: [`${LATER} Try again in 7 s.`, LATER],
    },
    { decision: { kind: 'premium-number' }, noted: {}, error: [PREMIUM, PREMIUM] },
    { decision: { kind: 'country-not-served' }, noted: {}, error: [COUNTRY, COUNTRY] },
  ];

  it.each(rows)('$decision', async ({ decision, noted, error }) => {
    const found: Record<string, unknown> = {};
    const call = { annotate: (fields: object) => Object.assign(found, fields) };
    const store = await database.open();
    const { AuthCode } = createOperations(store, {
      ...settings(store, 'TR'),
      acceptCode: () => Promise.resolve(decision),
    });
    const outcome = AuthCode({ code: '1', phone: '0555 111 22 33' }, call);
    if (error === undefined) await expect(outcome).resolves.toBeUndefined();
    else await expect(outcome).rejects.toMatchObject({ message: error[0], reason: error[1] });
    expect(found).toEqual({ phone: '+90...33', ...noted });
  });
});

describe('operations whose answers are only compared', () => {
  const database = useDatabase('sqlite');
  const call = { annotate: (): void => undefined };

  it('read as ever, and send nothing', async () => {
    const store = await database.open();
    const all = createOperations(store, settings(store, 'TR'));
    const compared = withoutSending(all);
    const REFUSED = 'Nothing may be sent';
    await expect(compared.AuthCode({ code: '1', phone: '0555 111 22 33' }, call)).rejects.toThrow(REFUSED);
    const note = { id: 'N1', id_class: '1A', baseUrlSchool: 'http://school.example' };
    await expect(compared.SendMarkNotes(note, call)).rejects.toThrow(REFUSED);
    expect(await listMessages(store, 1)).toEqual([]);
    const { AuthCode, SendMarkNotes } = all;
    expect({ ...compared, AuthCode, SendMarkNotes }).toEqual(all);
  });
});

describe('the school of a call', () => {
  const url = 'http://school.example/';
  const longest = url.padEnd(2048, 'x');
  it.each([
    ['GetStudentSchool', { school_base_url: url }, 'http://school.example'],
    ['SendMarkNotes', { baseUrlSchool: url }, 'http://school.example'],
    ['SendMarkNotes', { school_base_url: url }, undefined],
    ['AuthCode', { school_base_url: url }, undefined],
    ['GetStudentSchool', { school_base_url: '' }, undefined],
    ['GetStudentSchool', { school_base_url: null }, undefined],
    ['GetStudentSchool', { school_base_url: longest }, longest],
    ['GetStudentSchool', { school_base_url: `${longest}x` }, undefined],
  ])('%s with %j', (operation, args, school) => {
    expect(findSchool(operation, args)).toBe(school);
  });
});

describe('a parameter', () => {
  const database = useDatabase('sqlite');
  const call = { annotate: (): void => undefined };

  const GOOD = { phone: '+905551112233' };
  const MAX_LENGTHS = { code: 32, show_active: 1, school_base_url: 2048, baseUrlSchool: 2048 };
  const rows = Object.entries(OPERATIONS).flatMap(([operation, { parameters }]) =>
    parameters.flatMap((name: string) => {
      const longest = (MAX_LENGTHS as Readonly<Record<string, number>>)[name] ?? 256;
      return [
        { operation, name, what: 'absent', value: null, text: `Missing parameter: ${name}.` },
        { operation, name, what: 'empty', value: '', text: `Parameter ${name} is empty.` },
        {
          operation,
          name,
          what: 'too long',
          value: 'x'.repeat(longest + 1),
          text: `Parameter ${name} is longer than ${String(longest)} characters.`,
        },
      ];
    }),
  );

  it.each(rows)('$name of $operation that is $what is rejected, and nothing is stored', async (row) => {
    const { operation, name, value, text } = row;
    const names: readonly string[] = OPERATIONS[operation as OperationName].parameters;
    const good: Record<string, string | null> = Object.fromEntries(names.map((other) => [other, 'x']));
    const store = await database.open();
    const operations = createOperations(store, settings(store, undefined));
    const run = operations[operation as OperationName] as (
      args: unknown,
      context: unknown,
    ) => Promise<unknown>;
    await expect(run({ ...good, ...GOOD, [name]: value }, call)).rejects.toThrow(new ClientError(text));
    expect(await listMessages(store, 1)).toEqual([]);
  });
});
