import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';

import { childEnvironment, CSV_HEADERS } from '../../../scripts/harness';
import { ConsoleImports } from '../../../src/admin/console/imports';
import { ENGINES } from '../../harness/test-databases';
import { useFolder } from '../../harness/use-folder';
import { xlsxParts, zipOf } from '../../harness/xlsx-file';
import { cellsOf, type Page, TOKEN, type UsedConsole, useConsole } from './use-console';

const PATH = '/schools/import';
const SCHOOL = 'http://upload.example';
const MB = 2 ** 20;

// Each check and each import is a process of its own, which inherits this.
Object.assign(process.env, childEnvironment({}));

type Uploaded = Readonly<Record<string, string | Buffer>>;

const school = (students: readonly string[]): Uploaded => ({
  'schools.csv': [CSV_HEADERS.schools, `${SCHOOL},School`].join('\n'),
  'students.csv': [CSV_HEADERS.students, ...students].join('\n'),
});

describe.each(ENGINES)('an import in the console, on %s', (engine) => {
  const folder = useFolder();
  const uploads = join(folder, 'uploads');
  const console = useConsole(engine, {}, [], { folder: uploads, maxBytes: MB });
  const { upload, until, press } = importsIn(console);
  const stored = () => (existsSync(uploads) ? readdirSync(uploads) : []);
  const students = async () => (await console.store.schools.of(SCHOOL))?.students;
  const last = async () => (await console.store.audit.list({ action: 'import' }, 1))[0];

  it('checks the files, writes nothing until it is confirmed, and records who imported', async () => {
    const answer = await upload(school([`${SCHOOL},S1,Name,Y,`, `${SCHOOL},S2,Name,E,`]));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PATH]);
    const checked = await until('uploaded these files');
    expect(cellsOf(checked, 'Files').slice(1)).toEqual([
      ['schools.csv', 'checked', '1', '1', '0', '0', '0'],
      ['students.csv', 'checked', '2', '2', '0', '0', '0'],
    ]);
    expect(checked).toContain(
      'Students by ShowActive: E 1, Y 1 (GetStudentSchool returns one value per call)',
    );
    expect(checked).toContain('Students without devices: 2 of 2');
    expect(await students()).toBeUndefined();
    expect(stored()).toHaveLength(1);

    await press('confirm');
    expect(cellsOf(await until('imported these files'), 'Files')[2]).toContain('loaded');
    expect(await students()).toBe(2);
    expect(stored()).toEqual([]);
    expect(await last()).toMatchObject({
      who: 'ayse',
      detail: { files: 'schools.csv, students.csv', rows: 3, errors: 0 },
    });
    expect(cellsOf(await page(), 'Last imports')[1]?.slice(1)).toEqual([
      ...['ayse', 'schools.csv, students.csv', '3', '0'],
    ]);
    expect(console.audits).toEqual([{ action: 'import confirmed' }]);
  });

  it('reads a workbook with a sheet for each file', async () => {
    const sheets = {
      Schools: [CSV_HEADERS.schools.split(','), ['http://book.example', 'Kitap']],
      classes: [CSV_HEADERS.classes.split(','), ['http://book.example', '1A', 'Bir']],
    };
    await upload({ 'Okul verileri.xlsx': zipOf(xlsxParts(sheets)) });
    await until('uploaded these files');
    await press('confirm');
    await until('imported these files');
    expect((await console.store.schools.of('http://book.example'))?.name).toBe('Kitap');
  });

  it('reports all errors, hides personal data, offers a CSV file and nothing to confirm', async () => {
    const { 'students.csv': students = '' } = school([
      `${SCHOOL},S8,Secret Name,long,`,
      `http://none.example,S9,Secret Name,Y,`,
    ]);
    await upload({ 'students.csv': students });
    const text = await until('have errors');
    expect(cellsOf(text, 'Errors').slice(1)).toEqual([
      ['students.csv', '2', 'ShowActive', 'long', 'is not exactly one character'],
      ['students.csv', '3', 'school_base_url', 'http://none.example', 'unknown school'],
    ]);
    expect(text).not.toContain('Secret');
    expect(text).not.toContain(`${PATH}/confirm`);
    const turkish = await fetch(console.origin + PATH, { headers: { 'Accept-Language': 'tr' } });
    expect(cellsOf(await turkish.text(), 'Hatalar')[1]?.at(-1)).toBe('tam bir karakter değil');
    const csv = await console.get(`${PATH}/errors.csv`);
    expect(csv.headers.get('content-disposition')).toContain('import-errors.csv');
    expect(csv.text).toContain('students.csv,2,ShowActive,long,is not exactly one character');
    expect(stored()).toEqual([]);
  });

  it('loads the files without errors, like the command, and says that the others are left out', async () => {
    const files = {
      ...school([`http://part.example,S1,Name,long,`]),
      'schools.csv': `${CSV_HEADERS.schools}\nhttp://part.example,Part\n`,
      'devices.csv': `${CSV_HEADERS.devices}\n`,
      'exams.csv': `${CSV_HEADERS.exams}\nE-part,Exam\nE-part-2,Exam\n`,
    };
    const note = 'Files with errors are not imported, nor are files that refer to them.';
    await upload(files);
    const checked = await until('uploaded these files');
    const outcomes = (text: string) =>
      cellsOf(text, 'Files')
        .slice(1)
        .map(([file, outcome]) => `${file ?? ''} ${outcome ?? ''}`);
    expect(outcomes(checked)).toEqual([
      ...['schools.csv checked', 'students.csv refused', 'devices.csv blocked', 'exams.csv checked'],
    ]);
    expect(checked).toContain(note);
    expect(checked).toContain('Import 3 rows');
    await press('confirm');
    const imported = await until('imported these files');
    expect(outcomes(imported)).toEqual([
      ...['schools.csv loaded', 'students.csv refused', 'devices.csv blocked', 'exams.csv loaded'],
    ]);
    expect(imported).toContain(note);
    expect(await console.store.schools.of('http://part.example')).toMatchObject({ students: 0 });
    expect(await last()).toMatchObject({ detail: { files: 'schools.csv, exams.csv', rows: 3, errors: 1 } });
  });

  it.each<readonly [string, string, string, string, string, string]>([
    ['en', 'Errors', 'Encoding', 'Dates with slashes', 'Skip unknown columns', 'Map of other names (JSON)'],
    [
      'tr',
      'Hatalar',
      'Karakter kodlaması',
      'Eğik çizgili tarihler',
      'Bilinmeyen sütunları atla',
      'Başka adların eşlemesi (JSON)',
    ],
  ])('names the fields of the form where the command names its options (%s)', async (...texts) => {
    const [language, errors, encoding, order, extra, map] = texts;
    const headers = { 'Accept-Language': language };
    const read = async (path: string) => (await fetch(console.origin + path, { headers })).text();
    const reasons = async (label: string) =>
      cellsOf(await read(PATH), label)
        .slice(1)
        .map((cells) => cells.at(-1) ?? '');
    await upload({
      'exams.csv': Buffer.from(`${CSV_HEADERS.exams},x\nE1,A,\n`),
      'exam_entries.csv': Buffer.from(`${CSV_HEADERS.exam_entries}\nE1,A,1/2/2026,09:00,90\n`),
      'note_types.csv': Buffer.from(`${CSV_HEADERS.note_types}\n1,S\xF6zl\xFC\n`, 'latin1'),
    });
    await until('have errors');
    const found = [...(await reasons(errors)), await read(`${PATH}/errors.csv`)];
    for (const label of [encoding, order, extra]) {
      expect(found.filter((text) => text.includes(`“${label}”`))).toHaveLength(2);
      expect(await read(PATH)).toContain(label);
    }
    expect(found.join()).not.toContain('--');

    const form = formOf(school([]));
    form.append('map', new Blob(['{"pupils.csv": {}}']), 'map.json');
    await send(form);
    await until('The import of ayse failed');
    expect(await read(PATH)).toContain(`“${map}”`);
    expect(await read(PATH)).not.toContain('--map');
  });

  it('takes the options of the command', async () => {
    const map = JSON.stringify({
      'students.csv': {
        file: 'Öğrenci.csv',
        columns: { id_student: 'No' },
        values: { ShowActive: { Evet: 'Y' } },
      },
    });
    const header = CSV_HEADERS.students.replace('id_student', 'No');
    const files = {
      'schools.csv': school([])['schools.csv'] ?? '',
      'Öğrenci.csv': `${header},extra\n${SCHOOL},S7,Name,Evet,,x\n`,
    };
    const form = formOf(files, { replace: '1', 'ignore-extra-columns': '1', encoding: 'windows-1254' });
    form.append('map', new Blob([map]), 'anything.json');
    await send(form);
    // The only student of the school replaces two others: more than a fifth.
    expect(await until('uploaded these files')).toContain(
      'students.csv: 2 of 2 rows to delete (not in the files)',
    );
    const refused = await press('confirm');
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Tick the box to delete more than a fifth of a table.'),
    ]);
    await press('confirm', { yes: '1' });
    expect(await until('imported these files')).toContain('students.csv: 2 of 2 rows deleted');
    expect(await students()).toBe(1);
  });

  it('tells a second operator who is importing, and lets only the first one confirm', async () => {
    await upload(school([]));
    const id = idOf(await until('uploaded these files'));
    console.name = 'mehmet';
    const refused = await upload(school([]));
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('ayse is importing.')]);
    expect(await page()).not.toContain(`${PATH}/confirm`);
    expect((await press('confirm', { id })).status).toBe(409);
    expect((await press('cancel', { id })).status).toBe(303);
    expect([stored(), await page()]).toEqual([[], expect.not.stringContaining('ayse uploaded')]);
    expect((await press('confirm', { id })).text).toContain('This upload is no longer there.');
  });

  it('tells which node imports', async () => {
    const { imports } = console.store;
    await imports.claim({ node: 'node-2:8080', who: 'ayse' }, Date.now(), 60_000);
    const refused = await upload(school([]));
    expect(refused.text).toContain('ayse (node-2:8080) is importing.');
    // A claim whose node has died ends.
    await imports.release('node-2:8080');
    await imports.claim({ node: 'node-2:8080', who: 'zeynep' }, Date.now() - 61_000, 60_000);
    expect((await upload(school([]))).status).toBe(303);
    await press('cancel', { id: idOf(await until('uploaded these files')) });
  });

  it('keeps the claim of a node that took over when its own had lapsed', async () => {
    const { imports } = console.store;
    await upload(school([]));
    const id = idOf(await until('uploaded these files'));
    const taken = { node: 'node-2:8080', who: 'zeynep' };
    expect(await imports.claim(taken, Date.now() + 60_000, 60_000)).toBeUndefined();
    await press('cancel', { id });
    expect((await upload(school([]))).text).toContain('zeynep (node-2:8080) is importing.');
    await imports.release(taken.node);
  });

  const page = async () => (await console.get(PATH)).text;
  const send = (form: FormData) => sendTo(console, form);
});

describe('an upload in the console', () => {
  const folder = useFolder();
  const uploads = join(folder, 'uploads');
  const console = useConsole('sqlite', {}, [], { folder: uploads, maxBytes: MB });
  const { upload, until, press } = importsIn(console);
  const stored = () => (existsSync(uploads) ? readdirSync(uploads) : []);

  it.each([
    [
      'an archive that unfolds to 129 MB',
      () => zipOf({ 'xl/workbook.xml': Buffer.alloc(129 * MB) }),
      'is too large',
    ],
    [
      'a workbook with a huge part',
      () => zipOf({ ...xlsxParts({ students: [] }), 'xl/sharedStrings.xml': Buffer.alloc(129 * MB) }),
      'is too large',
    ],
    ['no workbook', () => Buffer.from('MZ'), 'is not a valid .xlsx workbook'],
  ])('refuses %s', async (_what, bytes, reason) => {
    await upload({ 'students.xlsx': bytes() });
    expect(await until('have errors')).toContain(reason);
    expect(stored()).toEqual([]);
  });

  it.each([
    '.students.csv',
    'students.csv.exe',
    'con.csv',
    'stu\u0001dents.csv',
    'students.csv:stream',
    '<img src=x>.csv',
    `${'x'.repeat(300)}.csv`,
  ])('refuses the file name %j', async (name) => {
    const refused = await upload({ [name]: 'x' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('not accepted.')]);
    expect(refused.text).not.toContain('<img');
    expect(stored()).toEqual([]);
  });

  it.each(['../../../students.csv', '/etc/students.csv', 'C:\\Users\\x\\students.csv', 'STUDENTS.CSV'])(
    'takes the file name %j for students.csv in its own folder',
    async (name) => {
      await upload({ [name]: `${CSV_HEADERS.students}\n` });
      expect(cellsOf(await until('uploaded these files'), 'Files')[1]?.[0]).toBe('students.csv');
      expect(stored()).toHaveLength(1);
      await press('cancel', { id: idOf(await page()) });
      expect(readdirSync(folder)).toEqual(expect.not.arrayContaining(['students.csv']));
    },
  );

  it.each<readonly [string, () => Promise<Page>, number, string]>([
    [
      'a file over the limit',
      () => upload({ 'students.csv': 'x'.repeat(MB + 1) }),
      413,
      'too large: at most 1 MB',
    ],
    ['a file twice', () => send(formOf({ 'students.csv': 'x', 'Students.csv': 'x' })), 400, 'not accepted.'],
    ['no file', () => send(formOf({})), 400, 'Choose the files'],
    ['an unknown encoding', () => send(formOf(school([]), { encoding: '--yes' })), 400, 'Invalid request.'],
    ['a form without files', () => console.post(PATH, {}), 400, 'Choose the files'],
    ['another kind of body', () => sendTo(console, '{}'), 415, 'Invalid request.'],
    ['a wrong token', () => send(formOf(school([]), { token: 'guessed' })), 403, 'out of date'],
    ['no token', () => send(withoutToken()), 403, 'out of date'],
  ])('refuses %s and keeps nothing', async (_what, act, status, text) => {
    const refused = await act();
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)]);
    expect(stored()).toEqual([]);
    // The next upload is not refused.
    await upload(school([]));
    await press('cancel', { id: idOf(await until('uploaded these files')) });
  });

  it('cannot be confirmed if it would replace data and has a file that is none of its tables', async () => {
    await send(formOf({ ...school([]), 'unrelated.csv': 'a,b\n' }, { replace: '1' }));
    const text = await until('have errors');
    expect(text).not.toContain(`${PATH}/confirm`);
    // Nor is this report lost by a form of a stranger.
    await send(formOf(school([]), { token: 'guessed' }));
    expect(await page()).toContain('have errors');
  });

  it.each(['viewer', 'helpdesk'] as const)('is not for the role %s', async (role) => {
    console.role = role;
    expect((await console.get(PATH)).status).toBe(403);
    expect((await console.get(`${PATH}/errors.csv`)).status).toBe(403);
    expect((await upload(school([]))).status).toBe(403);
    expect((await console.post(`${PATH}/confirm`, { id: 'x' })).status).toBe(403);
    expect((await console.get('/schools')).text).not.toContain(PATH);
    expect(stored()).toEqual([]);
  });

  /** Sends half of a file. */
  function begin(token: string, wholeToken = true): ClientRequest {
    const sending = request(`${console.origin}${PATH}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': 1000,
        // The server's 100 shows that it has the head.
        ...(wholeToken ? {} : { Expect: '100-continue' }),
      },
    });
    sending.on('error', () => undefined);
    const part = (name: string) => `--b\r\nContent-Disposition: form-data; name=${name}`;
    const file = wholeToken ? `\r\n${part('files; filename=students.csv')}\r\n\r\nhalf` : '';
    sending.write(`${part('token')}\r\n\r\n${token}${file}`);
    return sending;
  }

  it('refuses the form of a stranger before it has the files', async () => {
    const sending = begin('guessed');
    const [{ statusCode }] = (await once(sending, 'response')) as [IncomingMessage];
    expect(statusCode).toBe(403);
    sending.destroy();
  });

  it('whose token has not arrived holds up no other upload', async () => {
    const sending = begin(TOKEN.slice(0, 5), false);
    await once(sending, 'continue');
    expect((await upload(school([]))).status).toBe(303);
    await press('cancel', { id: idOf(await until('uploaded these files')) });
    sending.destroy();
  });

  it('removes an upload that is broken off, and lets others import', async () => {
    const sending = begin(TOKEN);
    await until('is uploading files');
    // What has come so far is on the disk already.
    const half = () =>
      stored().flatMap((id) => readdirSync(join(uploads, id)).map((name) => join(uploads, id, name)));
    while (!half().some((path) => readFileSync(path, 'utf8') === 'half')) await page();
    expect((await upload(school([]))).status).toBe(409);
    sending.destroy();
    expect(await until('The import of ayse failed')).toContain('The upload was interrupted.');
    expect(stored()).toEqual([]);
    await upload(school([]));
    await press('cancel', { id: idOf(await until('uploaded these files')) });
  });

  it('says what the command says if it cannot run, without the folder', async () => {
    await upload({ 'unrelated.csv': 'a,b\n' });
    const text = await until('The import of ayse failed');
    expect(text).toContain('The upload contains no import files.');
    expect(text).not.toContain(folder);
  });

  const page = async () => (await console.get(PATH)).text;
  const send = (form: FormData) => sendTo(console, form);
});

/** Stands in for the command `import`, which finds no errors in the files that it checks. */
const checks: ConstructorParameters<typeof ConsoleImports>[0]['run'] = (args, { onMessage }) => {
  const none = { problems: [], problemCount: 0, unknownFiles: [], removals: [] };
  const outcome = args.includes('--dry-run') ? 'checked' : 'loaded';
  const counts = { rows: 1, newRows: 1, changedRows: 0, unchangedRows: 0, errors: 0 };
  const files = [{ file: 'schools.csv', outcome, ...counts }];
  onMessage({
    report: { ...none, files, removesTooMuch: false, summary: { values: [], unreferenced: [] } },
  });
  return Promise.resolve({ problem: '' });
};

describe('an import that is writing', () => {
  const folder = useFolder();
  let write: () => void;
  const run: ConstructorParameters<typeof ConsoleImports>[0]['run'] = async (args, options) => {
    if (!args.includes('--dry-run')) {
      const progress = { file: 'students.csv', step: 'writing', bytesRead: 30, bytes: 40, rows: 1500 };
      options.onMessage({ progress });
      await new Promise<void>((resolve) => (write = resolve));
    }
    return checks(args, options);
  };
  const console = useConsole('sqlite', {}, [], { folder: join(folder, 'uploads'), run });
  const { upload, until, press } = importsIn(console);
  beforeEach(() => {
    jest.useFakeTimers({
      doNotFake: [
        ...(['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
        ...(['queueMicrotask', 'performance', 'Date', 'hrtime'] as const),
      ],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('shows its progress, cannot be cancelled, and keeps other nodes out until it ends', async () => {
    const claims = jest.spyOn(console.store.imports, 'claim');
    await upload(school([]));
    const id = idOf(await until('uploaded these files'));
    await press('confirm');
    const text = await until('is importing');
    expect(text).toContain('<progress max="40" value="30" aria-label="students.csv">');
    expect(text).toContain('students.csv: 1,500 rows (writing)');
    const refused = await press('cancel', { id });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('ayse is importing.')]);
    const before = claims.mock.calls.length;
    jest.advanceTimersByTime(60_000);
    expect(claims.mock.calls).toHaveLength(before + 3);
    write();
    await until('imported these files');
    jest.advanceTimersByTime(60_000);
    expect(claims.mock.calls).toHaveLength(before + 3);
    claims.mockRestore();
  });
});

describe('uploads that are not confirmed', () => {
  const folder = useFolder();
  const run = () => Promise.resolve({ problem: '' });
  const uploads = join(folder, 'uploads');
  const console = useConsole('sqlite', {}, [], { folder: uploads, keepMs: 200, run: checks });
  const { upload, until } = importsIn(console);

  it('are removed after a time', async () => {
    await upload(school([]));
    await until('uploaded these files');
    await until('Upload CSV files');
    expect(existsSync(uploads)).toBe(false);
  });

  it('are removed when the service starts', () => {
    const left = join(folder, 'left');
    mkdirSync(join(left, 'x'), { recursive: true });
    writeFileSync(join(left, 'x', 'students.csv'), 'x');
    new ConsoleImports({ store: console.store, run, folder: left, node: 'n' });
    expect(existsSync(left)).toBe(false);
  });
});

function formOf(files: Uploaded, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  form.append('token', TOKEN);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const [name, content] of Object.entries(files)) form.append('files', new Blob([content]), name);
  return form;
}

function withoutToken(): FormData {
  const form = formOf(school([]));
  form.delete('token');
  return form;
}

async function sendTo(console: UsedConsole, body: FormData | string): Promise<Page> {
  const response = await fetch(console.origin + PATH, { method: 'POST', body, redirect: 'manual' });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

function idOf(text: string): string {
  return /name="id" value="(\w+)"/.exec(text)?.[1] ?? '';
}

/** Does what operators do on the page. */
function importsIn(console: UsedConsole) {
  const page = async () => (await console.get(PATH)).text;
  return {
    upload: (files: Uploaded) => sendTo(console, formOf(files)),
    press: async (button: 'confirm' | 'cancel', fields: Readonly<Record<string, string>> = {}) =>
      console.post(`${PATH}/${button}`, { id: idOf(await page()), ...fields }),
    /** Reads the page's stream until it shows a text, and returns the whole page. */
    until: async (text: string): Promise<string> => {
      const stream = await fetch(`${console.origin}/live${PATH}`);
      let seen = '';
      for await (const bytes of stream.body ?? []) {
        seen += Buffer.from(bytes).toString();
        if (seen.includes(text)) break;
      }
      return page();
    },
  };
}
