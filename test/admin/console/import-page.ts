import { CSV_HEADERS } from '../../../scripts/harness';
import { type Page, TOKEN, type UsedConsole } from './use-console';

export const PATH = '/schools/import';
export const SCHOOL = 'http://upload.example';

type Uploaded = Readonly<Record<string, string | Buffer>>;

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

/** Does what operators do on the page. */
export function importsIn(console: UsedConsole) {
  const page = async () => (await console.get(PATH)).text;
  return {
    upload: (files: Uploaded) => sendTo(console, formOf(files)),
    press: async (button: 'confirm' | 'cancel', fields: Readonly<Record<string, string>> = {}) =>
      console.post(`${PATH}/${button}`, { id: idOf(await page()), checked: '1', ...fields }),
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
