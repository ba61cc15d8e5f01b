import { exchange, get } from '../../../scripts/harness';
import { endRunning, startService } from '../../windows/wine';
import { formOf, idOf, PATH, school, SCHOOL } from './import-page';

afterAll(endRunning);

it('the console on Windows imports uploaded files', async () => {
  const service = await startService({ DATA_DIR: 'C:\\Yükleme ş' });
  const send = (path: string, body: FormData | URLSearchParams) =>
    fetch(service.adminUrl(path), { method: 'POST', body });
  /** Reads the page's stream until it shows a text, and returns the whole page. */
  const until = async (text: string): Promise<string> => {
    let seen = '';
    const stream = await fetch(service.adminUrl(`/live${PATH}`));
    for await (const bytes of stream.body ?? []) {
      seen += Buffer.from(bytes).toString();
      if (seen.includes(text)) break;
    }
    return (await fetch(service.adminUrl(PATH))).text();
  };
  const shown = await (await fetch(service.adminUrl(PATH))).text();
  const token = /name="token" value="([^"]+)"/.exec(shown)?.[1] ?? '';
  await send(PATH, formOf(school([`${SCHOOL},1,Şule Öz,Y,`]), { token }));
  const checked = await until('uploaded these files');
  await send(`${PATH}/confirm`, new URLSearchParams({ token, id: idOf(checked), checked: '1' }));
  await until('imported these files');
  const list = get(
    'NotificationNotes',
    'GetStudentSchool',
    `school_base_url=${encodeURIComponent(SCHOOL)}&show_active=Y`,
  );
  expect((await exchange(service.port, list)).body.toString()).toContain('Şule Öz');
});
