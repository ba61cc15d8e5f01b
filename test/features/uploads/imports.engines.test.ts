import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { CSV_HEADERS, writeCsv } from '../../../scripts/harness';
import { LANGUAGES, type Text, Words } from '../../../src/admin/texts/words';
import { FEATURE_ACTION_LOG, FEATURE_BOOKS } from '../../../src/features/feature';
import { ENGINES } from '../../harness/test-databases';
import { useFolder } from '../../harness/use-folder';
import { formOf, idOf, importsIn, PATH, SCHOOL, school, sendTo, useUploads } from './import-page';
import { cellsOf } from '../../admin/console/use-console';

const MB = 2 ** 20;
const onLog = FEATURE_ACTION_LOG === undefined ? it.skip : it;
const onBooks = FEATURE_BOOKS === undefined ? it.skip : it;

describe.each(ENGINES)('an import in the console, on %s', (engine) => {
  const folder = useFolder();
  const uploads = join(folder, 'uploads');
  const console = useUploads(engine, { folder: uploads, maxBytes: MB });
  const { upload, until, press } = importsIn(console);
  const stored = () => (existsSync(uploads) ? readdirSync(uploads) : []);
  const students = async () => (await console.store.schools.of(SCHOOL))?.students;

  onLog('says that its list lacks imports of commands', async () => {
    const files = { 'schools.csv': [CSV_HEADERS.schools, 'http://other.example,Other'] };
    await console.store.importFolder(writeCsv(join(folder, 'by-command'), files));
    expect(await page()).toContain('None from this page yet.');
  });

  it('checks the files, and writes nothing until it is confirmed', async () => {
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
    expect(console.recorded).toEqual([{ action: 'import confirmed' }]);
  });

  it('offers no import of files that change nothing', async () => {
    const files = school([`${SCHOOL},S1,Name,Y,`, `${SCHOOL},S2,Name,E,`]);
    await upload(files);
    await until('uploaded these files');
    await press('confirm');
    await until('imported these files');
    await upload(files);
    const text = await until('Nothing to import: the database already has all rows of these files.');
    expect(text).not.toContain(`${PATH}/confirm`);
    await press('cancel');
  });

  onBooks('offers a workbook to fill in', async () => {
    expect(await page()).toContain(`href="${PATH}/template.xlsx"`);
    const answer = await console.get(`${PATH}/template.xlsx`);
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      ...[200, 'attachment; filename=school.xlsx'],
    ]);
    expect(answer.text.startsWith('PK')).toBe(true);
  });

  it('undoes the last import, and shows what returns', async () => {
    await upload(school([`${SCHOOL},S8,Name,Y,`]));
    await until('uploaded these files');
    expect(await page()).not.toContain('Undo the import');
    await press('confirm');
    const imported = await until('imported these files');
    expect(imported).toContain('students.csv: 1 new to delete, 0 to change back, 0 to bring back');
    const before = await students();
    expect((await console.post(`${PATH}/undo`, {})).status).toBe(303);
    const undone = await page();
    expect(undone).toContain('undid the last import');
    expect(undone).toContain('students.csv: 1 new deleted, 0 changed back, 0 brought back');
    expect(undone).not.toContain('Undo the import');
    expect(await students()).toBe((before ?? 0) - 1);
    expect(console.recorded).toEqual([
      { action: 'import confirmed' },
      expect.objectContaining({ action: 'import undone' }),
    ]);
    const again = await console.post(`${PATH}/undo`, {});
    expect([again.status, again.text.includes('There is no import to undo.')]).toEqual([409, true]);
  });

  it('asks whether what looks wrong is right', async () => {
    await upload({
      'schools.csv': `${CSV_HEADERS.schools}\nhttp://book.example,Kitap\n`,
      'classes.csv': `${CSV_HEADERS.classes}\nhttp://book.example,1A,Bir\n`,
    });
    const asked = await until('uploaded these files');
    expect(asked).toContain('1 of 1 classes have no students. Is students.csv complete?');
    const refused = await console.post(`${PATH}/confirm`, { id: idOf(asked) });
    expect([refused.status, refused.text.includes('Tick the box to confirm what looks wrong.')]).toEqual([
      ...[400, true],
    ]);
    await press('confirm');
    await until('imported these files');
    expect((await console.store.schools.of('http://book.example'))?.name).toBe('Kitap');
  });

  onBooks('reads a workbook with a sheet for each file', async () => {
    const workbook = await FEATURE_BOOKS?.template('en');
    await upload({ 'Okul verileri.xlsx': workbook ?? '' });
    await until('uploaded these files');
    await press('confirm');
    await until('imported these files');
    expect(await console.store.schools.of('https://school.example')).toMatchObject({
      ...{ name: 'Example School', students: 1 },
    });
  });

  it('reports all errors, hides personal data, offers a CSV file and nothing to confirm', async () => {
    const { 'students.csv': students = '' } = school([
      `${SCHOOL},S8,Secret Name,long,`,
      `http://none.example,S9,Secret Name,Y,`,
    ]);
    await upload({ 'students.csv': students });
    const text = await until('correct them and upload again');
    expect(cellsOf(text, 'Errors').slice(1)).toEqual([
      ['students.csv', '2', 'ShowActive', 'long', 'is not exactly one character'],
      ['students.csv', '3', 'school_base_url', 'http://none.example', 'unknown school'],
    ]);
    expect(text).toContain('2 errors in 1 file; correct them and upload again (ayse, ');
    expect(text).not.toContain('Secret');
    expect(text).not.toContain(`${PATH}/confirm`);
    const csv = await console.get(`${PATH}/errors.csv`);
    expect(csv.headers.get('content-disposition')).toContain('import-errors.csv');
    expect(csv.text).toContain('students.csv,2,,ShowActive,long,is not exactly one character');
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
  });

  it.each(LANGUAGES)('says in $name what is wrong with rows, with their values', async ({ tag }) => {
    const words = new Words(tag, 'UTC');
    const long = 'x'.repeat(300);
    await upload({
      'schools.csv': `${CSV_HEADERS.schools}\n${SCHOOL},School\n${SCHOOL},Again\nonly\n`,
      'students.csv': `${CSV_HEADERS.students}\n${`${SCHOOL},${long},Name,Y,\n`.repeat(7)}`,
      'exams.csv': `${CSV_HEADERS.exams}\nE1,A\n`,
      'exam_entries.csv': `${CSV_HEADERS.exam_entries}\nE1,A,2026-01-02,09:00,-1\nE-none,A,2026-01-02,09:00,5\n`,
      'note_types.csv': `${CSV_HEADERS.note_types.split(',')[0] ?? ''}\n1\n`,
    });
    await until('uploaded these files');
    const headers = { 'Accept-Language': tag };
    const text = await (await fetch(console.origin + PATH, { headers })).text();
    const rows = cellsOf(text, words.t('Errors')).slice(1);
    const reasons = [
      'duplicate of line 2',
      'has 1 cell, the header 2 (delimiter: comma)',
      'is longer than 256 characters',
      'is not a whole number from 0 to 10080',
      'unknown exam',
      'is missing from the header (no delimiter found: comma, semicolon or tab)',
    ];
    expect(rows.map((cells) => cells.at(-1))).toEqual(reasons.map((reason) => words.line(reason)));
    const lines = words.t('{lines} and {n} more', { lines: '2, 3, 4, 5, 6', n: 2 });
    expect(rows[2]?.slice(1, 4)).toEqual([lines, 'id_student', expect.anything()]);
    await press('cancel');
  });

  it.each(LANGUAGES)(
    'names the fields of the form where the command names options, in $name',
    async ({ tag }) => {
      const words = new Words(tag, 'UTC');
      const headers = { 'Accept-Language': tag };
      const read = async (path: string) => (await fetch(console.origin + path, { headers })).text();
      const reasons = async () =>
        cellsOf(await read(PATH), words.t('Errors'))
          .slice(1)
          .map((cells) => cells.at(-1) ?? '');
      await upload({
        'exams.csv': Buffer.from(`${CSV_HEADERS.exams},x\nE1,A,\n`),
        'exam_entries.csv': Buffer.from(`${CSV_HEADERS.exam_entries}\nE1,A,1/2/2026,09:00,90\n`),
        'note_types.csv': Buffer.from(`${CSV_HEADERS.note_types}\n1,S\xF6zl\xFC\n`, 'latin1'),
      });
      await until('correct them and upload again');
      const found = [...(await reasons()), await read(`${PATH}/errors.csv`)];
      const labels: readonly Text[] = ['Encoding', 'Dates with slashes', 'Skip unknown columns'];
      for (const label of labels.map((each) => words.t(each))) {
        expect(found.filter((text) => text.includes(`“${label}”`))).toHaveLength(2);
        expect(await read(PATH)).toContain(label);
      }
      expect(found.join()).not.toContain('--');

      const form = formOf(school([]));
      form.append('map', new Blob(['{"pupils.csv": {}}']), 'map.json');
      await send(form);
      await until('The import of ayse failed');
      expect(await read(PATH)).toContain(`“${words.t('Map of other names (JSON)')}”`);
      expect(await read(PATH)).not.toContain('--map');
    },
  );

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

  onLog('lists who imported what', async () => {
    await upload(school([`${SCHOOL},S1,Name,Y,`, `${SCHOOL},S4,Name,E,`]));
    await until('uploaded these files');
    await press('confirm');
    await until('imported these files');
    expect(cellsOf(await page(), 'Last imports from this page')[1]?.slice(1)).toEqual([
      ...['ayse', 'schools.csv, students.csv', 'loaded', '2', '0'],
    ]);
  });

  const page = async () => (await console.get(PATH)).text;
  const send = (form: FormData) => sendTo(console, form);
});
