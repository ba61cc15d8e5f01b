import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';

import { endServer, listen, portOf } from '../../../scripts/harness';
import { ConsoleImports, ImportRefused } from '../../../src/admin/console/imports';
import type { Store } from '../../../src/store';
import { useDatabase } from '../../harness/test-databases';
import { useFolderPerTest } from '../../harness/use-folder';

type Files = readonly (readonly [name: string, content: string, field?: string])[];

const TOKEN = 'token-of-the-page';
const MAX_BYTES = 1000;
const MINUTE = 60_000;

describe('an upload to the console', () => {
  const folder = useFolderPerTest();
  const database = useDatabase('sqlite');
  /** Outcome that the check reports; undefined if the command cannot run. */
  let outcome: 'checked' | 'refused' | undefined;
  let commands: (readonly string[])[];
  let imports: ConsoleImports;
  let store: Store;
  let onChecked: () => void;
  const run: ConstructorParameters<typeof ConsoleImports>[0]['run'] = (args, { onMessage }) => {
    commands.push(args);
    const counts = { rows: 1, newRows: 1, changedRows: 0, unchangedRows: 0, errors: 0 };
    const none = { problems: [], problemCount: 0, unknownFiles: [], removals: [], removesTooMuch: false };
    const files = [{ file: 'students.csv', outcome, ...counts }];
    if (outcome !== undefined)
      onMessage({ report: { ...none, files, summary: { values: [], unreferenced: [] } } });
    setImmediate(() => setImmediate(onChecked));
    return Promise.resolve({ problem: 'The database is down.' });
  };
  const server = createServer((request, response) => {
    imports
      .upload(request, 'anna', (token) => token === TOKEN)
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
    imports = new ConsoleImports({
      ...{ store, run, folder: join(folder(), 'uploads'), node: 'a', maxBytes: MAX_BYTES },
    });
  });
  afterEach(async () => {
    jest.useRealTimers();
    await imports.stop();
  });

  async function upload(files: Files, token = TOKEN): Promise<number> {
    const body = new FormData();
    body.append('token', token);
    for (const [name, content, field = 'files'] of files) body.append(field, new Blob([content]), name);
    const url = `http://127.0.0.1:${String(portOf(server))}/`;
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
        imports.confirm(which, who, false);
      };
    expect(confirm('ben')).toThrow(ImportRefused);
    expect(confirm('anna', 'another')).toThrow(ImportRefused);
    expect(commands).toHaveLength(1);
    confirm('anna')();
    expect(confirm('anna')).toThrow(ImportRefused);
    expect(commands.map((args) => args.includes('--dry-run'))).toEqual([true, false]);
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
