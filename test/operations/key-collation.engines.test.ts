import { readFileSync } from 'node:fs';

import { writeSchool } from '../../scripts/harness';
import { readStory } from '../../src/admin/console/message-page';
import { toFilter, type MessageNaming } from '../../src/admin/reports/message-filter';
import { codeAcceptance } from '../../src/delivery/policy/accept-code';
import { createOperations, type Operations } from '../../src/operations';
import type { Store, StoreOptions } from '../../src/store';
import { inspectStore } from '../../src/store';
import { EXACT_KEYS, keyCollation } from '../../src/support/key-collation';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { listMessages } from '../harness/list-messages';
import { html } from '../../src/support/html';

const SCHOOL = {
  schools: ['http://a.example,Okul'],
  classes: ['http://a.example,1A,Bir A', 'http://a.example,IĞ,Iğdır'],
  students: [
    'http://a.example,Öğ1,Çağrı,Y,1a',
    'http://a.example,öğ2,Işık,Y,ığ',
    'http://a.example,S3,Ali,Y,',
  ],
  devices: [
    'DEV-İ1,http://a.example,ÖĞ1,token-1,android,2026-01-02T10:00:00Z',
    'dev-2,http://a.example,ÖĞ2,token-2,ios,2026-01-02T10:00:00Z',
  ],
  exams: ['Ex1,First'],
  exam_entries: ['EX1,Maths,2026-12-02,09:00,90', 'eX1,maths,2026-12-03,09:00,90'],
  note_types: ['Sözlü,Oral'],
  notes: ['http://a.example,Not1,SÖZLÜ,Title,Text'],
};

describe.each(ENGINES)('on %s, with ids compared as Turkish_CI_AS does,', (engine) => {
  const database = useDatabase(engine);
  const turkish: Pick<StoreOptions, 'keys'> = { keys: keyCollation('Turkish_CI_AS') ?? EXACT_KEYS };
  const call = { annotate: () => undefined };
  let store: Store;
  let operations: Operations;

  beforeEach(async () => {
    store = await database.open(turkish);
    const { problems } = await store.importFolder(writeSchool(`${database.folder}/csv`, SCHOOL));
    expect(problems).toEqual([]);
    const limits = { repeatMs: 0, coolDownMs: 0, perTenMinutes: 0, perDay: 0, perDayOverall: 0 };
    operations = createOperations(store, {
      country: 'TR',
      isCode: () => true,
      acceptCode: codeAcceptance(store, { limits, countries: undefined }, () => undefined),
      wakeMarks: () => undefined,
    });
  });

  it.each([['DEV-İ1'], ['dev-i1'], ['Dev-i1 ']])('a device is found as %j', async (id) => {
    expect(await operations.GetTokenDevice({ id }, call)).toBe('token-1');
  });

  it('the dotless i is another letter', async () => {
    expect(await operations.GetTokenDevice({ id: 'DEV-I1' }, call)).toBe('');
  });

  it('the answers show ids as they were imported', async () => {
    const students = await operations.GetStudentSchool(
      { school_base_url: 'http://a.example', show_active: 'Y' },
      call,
    );
    expect(students).toEqual([
      { id_student: 'S3', fullName: 'Ali', id_device: '', ShowActive: 'Y' },
      { id_student: 'Öğ1', fullName: 'Çağrı', id_device: 'DEV-İ1', ShowActive: 'Y' },
      { id_student: 'öğ2', fullName: 'Işık', id_device: 'dev-2', ShowActive: 'Y' },
    ]);
    const exam = await operations.GetExamTableByExamId({ ExamId: 'EX1' }, call);
    expect(exam.data.map((entry) => [entry['examId'], entry['subjectName']])).toEqual([
      ['Ex1', 'Maths'],
      ['Ex1', 'maths'],
    ]);
    const types = await operations.GetStudentsNoteType({}, call);
    expect(types.data).toEqual([{ id: 'Sözlü', name: 'Oral' }]);
  });

  it('the marks of a class reach its students, and a repeated request is recognised, in any letter case', async () => {
    for (const [id, id_class] of [
      ['NOT1', 'ığ'],
      ['not1', 'IĞ'],
    ] as const) {
      await operations.SendMarkNotes({ id, id_class, baseUrlSchool: 'http://a.example' }, call);
    }
    const [first, second] = await listMessages(store, 10);
    expect(first?.recipient).toBe(second?.recipient);
    const named = {
      school: 'http://a.example',
      classId: first?.recipient ?? '',
      note: store.keyForm('NOT1'),
    };
    expect(await store.markRequests.missing(named)).toBeUndefined();
    expect(await store.markRequests.devicesOf(named)).toEqual(['dev-2']);
    expect(await store.markRequests.content('dev-2', named.school, named.note)).toMatchObject({
      note: 'Not1',
    });
  });

  it('messages are found in any letter case and show ids as they were imported, or as compared once they are gone', async () => {
    const school = 'http://a.example';
    const message = { school, createdAt: Date.now(), expiresAt: Date.now() + 1000, dedupeKey: null };
    const id = await store.messages.enqueue({
      ...{ ...message, channel: 'mark', recipient: 'ığ', note: 'not1', payload: { note: 'not1' } },
    });
    await store.messages.enqueue({
      ...{ ...message, channel: 'push', recipient: 'dev-i1', requestId: id, payload: { note: 'not1' } },
    });
    await store.messages.enqueue({
      ...{ ...message, channel: 'push', recipient: 'dev-gone', payload: { note: 'not1' } },
    });
    const find = async (naming: MessageNaming) => {
      const filter = toFilter(naming, { country: 'TR', keyForm: store.keyForm, now: Date.now() });
      return (await store.deliveries.list(filter, 10)).map(({ recipient, note }) => [recipient, note]);
    };
    expect(await find({ class: 'Iğ' })).toEqual([['IĞ', 'Not1']]);
    expect(await find({ note: 'NOT1', school })).toEqual([['IĞ', 'Not1']]);
    expect(await find({ student: 'öğ1' })).toEqual([['DEV-İ1', null]]);
    expect(await find({ channel: 'push' })).toEqual([
      ['dev-gone', null],
      ['DEV-İ1', null],
    ]);
    const names = (await readStory(store, id, Date.now()))?.names ?? [];
    expect(names.map(([kind, name]) => [kind, html`${name}`.text.replaceAll(/<[^>]*>/g, '')])).toEqual([
      ['note', 'Title (Not1)'],
      ['class', 'Iğdır (IĞ)'],
      ['school name', 'Okul'],
    ]);
  });

  it('importing other spellings changes them, and an export returns them', async () => {
    const folder = writeSchool(`${database.folder}/again`, { ...SCHOOL, exams: ['EX1,First'] });
    const { files } = await store.importFolder(folder);
    expect(files.filter(({ changedRows, newRows }) => changedRows + newRows > 0)).toEqual([
      expect.objectContaining({ file: 'exams.csv', newRows: 0, changedRows: 1 }),
    ]);
    await store.exportFolder(`${database.folder}/export`);
    const exported = (file: string) => readFileSync(`${database.folder}/export/${file}`, 'utf8');
    expect(exported('exams.csv')).toContain('EX1,First');
    expect(exported('devices.csv')).toContain('DEV-İ1,http://a.example,Öğ1,token-1');
    expect(exported('students.csv')).toContain('http://a.example,öğ2,Işık,Y,IĞ');
    expect(exported('exam_entries.csv')).toContain('EX1,Maths,2026-12-02');
    expect(exported('notes.csv')).toContain('http://a.example,Not1,Sözlü,Title');
    const { files: same } = await store.importFolder(`${database.folder}/export`);
    expect(same.every(({ changedRows, newRows }) => changedRows + newRows === 0)).toBe(true);
  });

  it('an import refuses two ids that become one, and names the collation', async () => {
    const { problems } = await store.importFolder(
      writeSchool(`${database.folder}/twice`, { exams: ['izmir,A', 'İZMİR,B', 'IZMIR,C'] }),
    );
    expect(problems).toEqual([
      expect.objectContaining({ file: 'exams.csv', line: 3, reason: 'duplicate of line 2 by Turkish_CI_AS' }),
    ]);
  });

  it('the console finds a class in any letter case and shows its imported id', async () => {
    expect(await store.schools.matching(store.keyForm('IĞ'), 10)).toMatchObject([
      { kind: 'class', id: 'IĞ', name: 'Iğdır' },
    ]);
    expect((await store.schools.listClasses('http://a.example')).map(({ id }) => id)).toEqual([
      '1A',
      'IĞ',
      null,
    ]);
  });

  it('another collation is refused once there is data, by the store and by an inspection', async () => {
    await expect(database.open()).rejects.toThrow(
      'The data was loaded with KEY_COLLATION=Turkish_CI_AS. Set it back to that, or use a new database',
    );
    await expect(inspectStore({ url: database.url })).rejects.toThrow('KEY_COLLATION=Turkish_CI_AS');
    await expect(inspectStore({ url: database.url, ...turkish })).resolves.toBeDefined();
  });
});

describe.each(ENGINES)('on %s, a database without data', (engine) => {
  const database = useDatabase(engine);

  it('takes another collation, which then stays', async () => {
    const keys = keyCollation('Turkish_CI_AS') ?? EXACT_KEYS;
    await (await database.open()).close();
    const store = await database.open({ keys });
    await store.importFolder(writeSchool(`${database.folder}/csv`, SCHOOL));
    await expect(database.open()).rejects.toThrow('KEY_COLLATION=Turkish_CI_AS');
  });

  it('keeps its collation while mark notes wait for data', async () => {
    const now = Date.now();
    const store = await database.open({ keys: keyCollation('Turkish_CI_AS') ?? EXACT_KEYS });
    await store.messages.enqueue({
      ...{ channel: 'mark', recipient: '1a', school: 'http://a.example', payload: { note: 'not1' } },
      ...{ dedupeKey: null, createdAt: now, expiresAt: now + 1000 },
    });
    await expect(database.open()).rejects.toThrow('KEY_COLLATION=Turkish_CI_AS');
  });
});
