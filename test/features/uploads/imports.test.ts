import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { CSV_HEADERS, endServer, listen, portOf } from '../../../scripts/harness';
import type { ConsoleCore } from '../../../src/admin/console/console-part';
import { importConsole } from '../../../src/features/uploads/import-page';
import { ConsoleImports, type ConsoleImportsOptions } from '../../../src/features/uploads/imports';
import { ImportRefused } from '../../../src/features/uploads/upload-form';
import { FEATURE_BOOKS } from '../../../src/features/feature';
import type { Store, UndoReport } from '../../../src/store';
import { useDatabase } from '../../harness/test-databases';
import { useFolder, useFolderPerTest } from '../../harness/use-folder';
import { formOf, idOf, importsIn, PATH, school, sendTo, useUploads } from './import-page';
import { cellsOf, type Page, TOKEN, useConsole } from '../../admin/console/use-console';

type Files = readonly (readonly [name: string, content: string, field?: string])[];

const MAX_BYTES = 1000;
const MINUTE = 60_000;
/** The renewal of a claim is an interval; the store has timers of other kinds. */
const doNotFake = [
  ...(['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
  ...(['queueMicrotask', 'performance', 'hrtime'] as const),
];
const MB = 2 ** 20;
const onBooks = FEATURE_BOOKS === undefined ? it.skip : it;

describe('an upload to the console', () => {
  const folder = useFolderPerTest();
  const database = useDatabase('sqlite');
  /** Outcome that the check reports; undefined if the command cannot run. */
  let outcome: 'checked' | 'refused' | undefined;
  let commands: (readonly string[])[];
  let imports: ConsoleImports;
  /** The uploads of another node. */
  let others: ConsoleImports;
  let store: Store;
  let onChecked: () => void;
  const run: ConsoleImportsOptions['run'] = (args, { onMessage }) => {
    commands.push(args);
    const counts = { rows: 1, newRows: 1, changedRows: 0, unchangedRows: 0, errors: 0 };
    const none = {
      problems: [],
      problemCount: 0,
      leftOut: [],
      questions: [],
      removals: [],
      removesTooMuch: false,
    };
    const files = [{ file: 'students.csv', outcome, ...counts }];
    if (outcome !== undefined)
      onMessage({ report: { ...none, files, summary: { values: [], unreferenced: [] } } });
    setImmediate(() => setImmediate(onChecked));
    return Promise.resolve({ problem: 'The database is down.' });
  };
  const server = createServer((incoming, response) => {
    const [node, who] = incoming.url === '/b' ? ([others, 'ben'] as const) : ([imports, 'anna'] as const);
    node
      .upload(incoming, who, (token) => token === TOKEN)
      .then(
        () => response.end(),
        (error: unknown) => {
          response.writeHead(error instanceof ImportRefused ? error.status : 500).end();
        },
      );
  });
  beforeAll(() => listen(server));
  afterAll(() => endServer(server));
  beforeEach(async () => {
    outcome = 'checked';
    commands = [];
    onChecked = () => undefined;
    store = await database.open();
    const open = (node: string, name: string) =>
      new ConsoleImports({ store, run, folder: join(folder(), name), node, maxBytes: MAX_BYTES });
    imports = open('a', 'uploads');
    others = open('b', 'uploads-b');
  });
  afterEach(async () => {
    jest.useRealTimers();
    await Promise.all([imports.stop(), others.stop()]);
  });

  async function upload(files: Files, token = TOKEN, path = '/'): Promise<number> {
    const body = new FormData();
    body.append('token', token);
    for (const [name, content, field = 'files'] of files) body.append(field, new Blob([content]), name);
    const url = `http://127.0.0.1:${String(portOf(server))}${path}`;
    return (await fetch(url, { method: 'POST', body })).status;
  }

  it.each([
    [[999], 200],
    [[1000], 200],
    [[1001], 413],
    [[500, 499], 200],
    [[500, 500], 200],
    [[500, 501], 413],
    [[400, 300, 300], 200],
    [[400, 300, 301], 413],
  ])('of files of %j bytes is answered with %i: all together may have 1,000', async (sizes, status) => {
    const files = sizes.map((size, at) => [`${String(at)}.csv`, 'x'.repeat(size)] as const);
    expect(await upload(files)).toBe(status);
    expect(commands).toHaveLength(status === 200 ? 1 : 0);
  });

  it.each<readonly [string, Files, string | undefined, number]>([
    ['a name that is not accepted', [['../x.exe', 'x']], TOKEN, 400],
    ['a file twice', [['a.csv', 'x'], ['A.csv', 'x']], TOKEN, 400], // prettier-ignore
    ['no files', [], TOKEN, 400],
    ['too many bytes', [['students.csv', 'x'.repeat(MAX_BYTES + 1)]], TOKEN, 413],
    ['the token of another page', [['students.csv', 'x']], 'another', 403],
  ])('with %s leaves no claim, so that other nodes may import', async (_what, files, token, status) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask', 'Date'] });
    expect(await upload(files, token)).toBe(status);
    jest.advanceTimersByTime(MINUTE);
    expect(await store.imports.claim({ node: 'b', who: 'ben' }, Date.now(), MINUTE)).toBeUndefined();
    jest.advanceTimersByTime(MINUTE);
    expect(await store.imports.claim({ node: 'b', who: 'ben' }, Date.now(), MINUTE)).toBeUndefined();
    expect(existsSync(join(folder(), 'uploads'))).toBe(false);
  });

  it.each([['refused'], [undefined]] as const)('whose check ends as %s leaves no claim', async (end) => {
    outcome = end;
    const checked = new Promise<void>((resolve) => (onChecked = resolve));
    expect(await upload([['students.csv', 'x']])).toBe(200);
    await checked;
    expect(await store.imports.claim({ node: 'b', who: 'ben' }, Date.now(), MINUTE)).toBeUndefined();
  });

  it('is accepted from one of two operators on two nodes at once, and then from the other', async () => {
    const places = [join(folder(), 'uploads'), join(folder(), 'uploads-b')];
    const send = (path: string) => upload([['students.csv', path]], TOKEN, path);
    const statuses = await Promise.all([send('/'), send('/b')]);
    expect(statuses.toSorted()).toEqual([200, 409]);
    const first = statuses.indexOf(200);
    expect(places.map((place) => existsSync(place))).toEqual([first === 0, first === 1]);
    const [winner, loser] = first === 0 ? [imports, others] : [others, imports];
    expect(loser.current).toBeUndefined();
    await winner.cancel(winner.current?.id ?? '');
    expect(await send(first === 0 ? '/b' : '/')).toBe(200);
    expect(loser.current).toMatchObject({ who: first === 0 ? 'ben' : 'anna' });
  });

  it('that is cancelled while it is checked stops the command, and does not come back', async () => {
    let signal: AbortSignal | undefined;
    let end: () => void = () => undefined;
    const running: ConsoleImportsOptions['run'] = (_args, options) => {
      signal = options.signal;
      return new Promise((resolve) => (end = () => resolve({ problem: 'Killed.' })));
    };
    imports = new ConsoleImports({ store, run: running, folder: join(folder(), 'uploads'), node: 'a' });
    expect(await upload([['students.csv', 'x']])).toBe(200);
    await imports.cancel(imports.current?.id ?? '');
    expect(signal?.aborted).toBe(true);
    end();
    await nextTurn();
    expect(imports.current).toBeUndefined();
  });

  it('is refused while another operator undoes the last import on the same node', async () => {
    let end: () => void = () => undefined;
    const undoImport = jest.fn(
      () =>
        new Promise<UndoReport>((resolve) => (end = () => resolve({ at: 0, isPossible: true, files: [] }))),
    );
    const slow = { imports: store.imports, undoImport };
    imports = new ConsoleImports({ store: slow, run, folder: join(folder(), 'uploads'), node: 'a' });
    const undone = imports.undo('ben');
    expect(imports.current).toMatchObject({ who: 'ben', step: 'undoing' });
    await expect(imports.cancel('')).rejects.toThrow(ImportRefused);
    expect(await upload([['students.csv', 'x']])).toBe(409);
    await expect(imports.undo('carol')).rejects.toThrow(ImportRefused);
    while (undoImport.mock.calls.length === 0) await nextTurn();
    end();
    await undone;
    expect(await upload([['students.csv', 'x']])).toBe(200);
    expect(imports.current).toMatchObject({ who: 'anna' });
  });

  it('is refused on other nodes for as long as an undo takes, even if its node stops', async () => {
    let end: () => void = () => undefined;
    const undoImport = () =>
      new Promise<UndoReport>((resolve) => (end = () => resolve({ at: 0, isPossible: true, files: [] })));
    const claim = jest.spyOn(store.imports, 'claim');
    const slow = { imports: store.imports, undoImport };
    imports = new ConsoleImports({ store: slow, run, folder: join(folder(), 'uploads'), node: 'a' });
    const claimByOther = () => store.imports.claim({ node: 'b', who: 'ben' }, Date.now(), MINUTE);
    jest.useFakeTimers({ doNotFake });
    try {
      const undone = imports.undo('ayse');
      while (claim.mock.calls.length === 0) await nextTurn();
      await nextTurn();
      jest.advanceTimersByTime(3 * MINUTE);
      expect(await claimByOther()).toMatchObject({ who: 'ayse', node: 'a' });
      await imports.stop();
      expect(await claimByOther()).toMatchObject({ who: 'ayse', node: 'a' });
      end();
      await undone;
      expect(await claimByOther()).toBeUndefined();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
      claim.mockRestore();
    }
  });

  it('is possible again after an undo that failed', async () => {
    expect(await upload([['schools.csv', 'x']])).toBe(200);
    await imports.cancel(imports.current?.id ?? '');
    const before = imports.current;
    await expect(imports.undo('ben')).rejects.toThrow(ImportRefused);
    expect([imports.current, imports.isBusy]).toEqual([before, false]);
  });

  it.each([
    [true, false, ['--yes']],
    [false, true, []],
  ])(
    'with deletions agreed to (%j) and questions confirmed (%j) is run with %j',
    async (much, sure, more) => {
      const checked = new Promise<void>((resolve) => (onChecked = resolve));
      expect(await upload([['students.csv', 'x']])).toBe(200);
      await checked;
      imports.confirm(imports.current?.id ?? '', 'anna', much, sure);
      expect(commands.at(-1)?.slice(1)).toEqual(more);
    },
  );

  it('keeps other nodes out while it waits for its user', async () => {
    expect(await upload([['students.csv', 'x']])).toBe(200);
    expect(await store.imports.claim({ node: 'b', who: 'ben' }, Date.now(), MINUTE)).toEqual({
      ...{ node: 'a', who: 'anna' },
    });
  });

  it('keeps other nodes out while the database fails for less than a minute', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
    expect(await upload([['students.csv', 'x']])).toBe(200);
    for (let second = 0; second < 300; second += 10) {
      // Two claims of four fail.
      if (second % 80 >= 40) jest.spyOn(store.imports, 'claim').mockRejectedValue(new Error('down'));
      await jest.advanceTimersByTimeAsync(10_000);
      jest.restoreAllMocks();
      expect(await store.imports.claim({ node: 'b', who: 'ben' }, Date.now(), MINUTE)).toBeDefined();
    }
  });

  it('shows what it showed before while another node imports', async () => {
    outcome = 'refused';
    const checked = new Promise<void>((resolve) => (onChecked = resolve));
    await upload([['students.csv', 'x']]);
    await checked;
    const before = imports.current;
    expect(before?.step).toBe('refused');
    await store.imports.claim({ node: 'b', who: 'ben' }, Date.now(), MINUTE);
    expect(await upload([['students.csv', 'y']])).toBe(409);
    expect(imports.current).toBe(before);
  });

  it('is confirmed by its user alone, once, and only while it waits for that', async () => {
    const checked = new Promise<void>((resolve) => (onChecked = resolve));
    await upload([['students.csv', 'x']]);
    await checked;
    const { id = '' } = imports.current ?? {};
    const confirm =
      (who: string, which = id) =>
      () => {
        imports.confirm(which, who, false, false);
      };
    expect(confirm('ben')).toThrow(ImportRefused);
    expect(confirm('anna', 'another')).toThrow(ImportRefused);
    expect(commands).toHaveLength(1);
    confirm('anna')();
    expect(confirm('anna')).toThrow(ImportRefused);
    expect(commands.map((args) => args.includes('--dry-run'))).toEqual([true, false]);
  });

  it('is removed when its user has not confirmed it for half an hour', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date'] });
    const checked = new Promise<void>((resolve) => (onChecked = resolve));
    await upload([['students.csv', 'x']]);
    await checked;
    await jest.advanceTimersByTimeAsync(30 * MINUTE - 1);
    expect([imports.current?.step, existsSync(join(folder(), 'uploads'))]).toEqual(['checked', true]);
    await jest.advanceTimersByTimeAsync(1);
    expect([imports.current, existsSync(join(folder(), 'uploads'))]).toEqual([undefined, false]);
  });

  it('is removed when the service starts', () => {
    const left = join(folder(), 'left');
    mkdirSync(join(left, 'x'), { recursive: true });
    writeFileSync(join(left, 'x', 'students.csv'), 'x');
    new ConsoleImports({ store, run, folder: left, node: 'n' });
    expect(existsSync(left)).toBe(false);
  });

  const NAME = 'Öğrenciler.xlsx';
  it.each([
    ['composed', NAME.normalize('NFC'), NAME.normalize('NFC')],
    ['decomposed in the map', NAME.normalize('NFC'), NAME.normalize('NFD')],
    ['decomposed in the upload', NAME.normalize('NFD'), NAME.normalize('NFC')],
    ['in another case', NAME, 'öğrenciler.XLSX'],
  ])('of a workbook that the map names for one table is read as that: %s', async (_what, name, mapped) => {
    const map = JSON.stringify({ 'students.csv': { file: mapped } });
    expect(
      await upload([
        [name, 'x'],
        ['map.json', map, 'map'],
      ]),
    ).toBe(200);
    expect(commands.map(([first = '']) => basename(first))).toEqual([imports.current?.id]);
  });

  it('of a workbook that the map does not name is read by its sheets', async () => {
    const map = JSON.stringify({
      'students.csv': { file: 'Sheet', values: { ShowActive: { [NAME]: 'Y' } } },
    });
    expect(
      await upload([
        [NAME, 'x'],
        ['map.json', map, 'map'],
      ]),
    ).toBe(200);
    expect(commands.map(([first = '']) => basename(first))).toEqual([NAME.normalize('NFC')]);
  });
});

describe('an upload in the console', () => {
  const folder = useFolder();
  const uploads = join(folder, 'uploads');
  const console = useUploads('sqlite', { folder: uploads, maxBytes: MB });
  const { upload, until, press } = importsIn(console);
  const stored = () => (existsSync(uploads) ? readdirSync(uploads) : []);

  onBooks('refuses what is no workbook', async () => {
    await upload({ 'students.xlsx': 'MZ' });
    expect(await until('correct them and upload again')).toContain('is not a valid .xlsx workbook');
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
    const text = await until('correct them and upload again');
    expect(text).not.toContain(`${PATH}/confirm`);
    // Nor is this report lost by a form of a stranger.
    await send(formOf(school([]), { token: 'guessed' }));
    expect(await page()).toContain('correct them and upload again');
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
const checks: ConsoleImportsOptions['run'] = (args, { onMessage }) => {
  const none = { problems: [], problemCount: 0, leftOut: [], questions: [], removals: [] };
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
  const run: ConsoleImportsOptions['run'] = async (args, options) => {
    if (!args.includes('--dry-run')) {
      const progress = { file: 'students.csv', step: 'writing', bytesRead: 30, bytes: 40, rows: 1500 };
      options.onMessage({ progress });
      await new Promise<void>((resolve) => (write = resolve));
    }
    return checks(args, options);
  };
  const console = useUploads('sqlite', { folder: join(folder, 'uploads'), run });
  const { upload, until, press } = importsIn(console);
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: [...doNotFake, 'Date'] });
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

describe('an upload beside another service with the same DATA_DIR', () => {
  let startWith: (PORT: number) => void;
  const openConsole = (core: ConsoleCore) => {
    startWith = (PORT) => {
      importConsole({ ...core, config: { ...core.config, PORT } }, { run: checks });
    };
    return Promise.resolve(importConsole(core, { run: checks }));
  };
  const console = useConsole('sqlite', { PORT: '8080' }, [], { uploads: { openConsole } });
  const { upload, until } = importsIn(console);
  const stored = (): readonly string[] =>
    readdirSync(console.database.folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => basename(path) === 'schools.csv',
    );

  it('stays while the other service starts, and is removed when its own starts again', async () => {
    await upload(school([]));
    await until('uploaded these files');
    expect(stored()).toHaveLength(1);
    startWith(8081);
    expect(stored()).toHaveLength(1);
    startWith(8080);
    expect(stored()).toEqual([]);
  });
});

function withoutToken(): FormData {
  const form = formOf(school([]));
  form.delete('token');
  return form;
}
