import { CSV_HEADERS } from '../../../scripts/harness';
import { importConsole } from '../../../src/features/uploads/import-page';
import type { ConsoleImportsOptions } from '../../../src/features/uploads/imports';
import { type Page, TOKEN, type UsedConsole, useConsole } from '../../admin/console/use-console';
import { runCommand } from '../../harness/run-command';
import type { EngineName } from '../../harness/test-databases';

export const PATH = '/schools/import';
export const SCHOOL = 'http://upload.example';

type Uploaded = Readonly<Record<string, string | Buffer>>;

/** Starts a console for the tests of the surrounding block, whose imports run in this process. */
export function useUploads(engine: EngineName, options: Partial<ConsoleImportsOptions> = {}): UsedConsole {
  // As another process would, it shares the database.
  const run: ConsoleImportsOptions['run'] = async (args, { who, onMessage }) => {
    const { folder, url } = console.database;
    const settings = { DATABASE_URL: url, AUDIT_WHO: who };
    const { err } = await runCommand('import', args, { folder, settings, onMessage });
    return { problem: err.replace(/^Error: /, '') };
  };
  const openConsole = (core: Parameters<typeof importConsole>[0]) =>
    Promise.resolve(importConsole(core, { run, ...options }));
  const console = useConsole(engine, {}, [], { uploads: { openConsole } });
  return console;
}

/** The files of a school with these students. */
export const school = (students: readonly string[]): Uploaded => ({
  'schools.csv': [CSV_HEADERS.schools, `${SCHOOL},School`].join('\n'),
  'students.csv': [CSV_HEADERS.students, ...students].join('\n'),
});

/** The form of the page, with files. */
export function formOf(files: Uploaded, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  form.append('token', TOKEN);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const [name, content] of Object.entries(files)) form.append('files', new Blob([content]), name);
  return form;
}

/** Sends a form of the page. */
export async function sendTo(console: UsedConsole, body: FormData | string): Promise<Page> {
  const response = await fetch(console.origin + PATH, { method: 'POST', body, redirect: 'manual' });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The id of the upload on the page. */
export function idOf(text: string): string {
  return /name="id" value="(\w+)"/.exec(text)?.[1] ?? '';
}

/** Reads the page's stream until it shows a text. @param origin - of the console */
export async function untilShown(origin: string, text: string): Promise<void> {
  const stream = await fetch(`${origin}/live${PATH}`);
  let seen = '';
  for await (const bytes of stream.body ?? []) {
    seen += Buffer.from(bytes).toString();
    if (seen.includes(text)) break;
  }
}

/** Does what operators do on the page. */
export function importsIn(console: UsedConsole) {
  const page = async () => (await console.get(PATH)).text;
  return {
    upload: (files: Uploaded) => sendTo(console, formOf(files)),
    press: async (button: 'confirm' | 'cancel', fields: Readonly<Record<string, string>> = {}) =>
      console.post(`${PATH}/${button}`, { id: idOf(await page()), checked: '1', ...fields }),
    until: async (text: string): Promise<string> => {
      await untilShown(console.origin, text);
      return page();
    },
  };
}
