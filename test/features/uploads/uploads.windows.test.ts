import { exchange, get } from '../../../scripts/harness';
import { endRunning, startService } from '../../windows/wine';
import { formOf, idOf, PATH, school, SCHOOL, untilShown } from './import-page';

afterAll(endRunning);

it('the console on Windows imports uploaded files', async () => {
  const service = await startService({ DATA_DIR: 'C:\\Yükleme ş' });
  const send = (path: string, body: FormData | URLSearchParams) =>
    fetch(service.adminUrl(path), { method: 'POST', body });
  const page = async (): Promise<string> => (await fetch(service.adminUrl(PATH))).text();
  const token = /name="token" value="([^"]+)"/.exec(await page())?.[1] ?? '';
  await send(PATH, formOf(school([`${SCHOOL},1,Şule Öz,Y,`]), { token }));
  await untilShown(service.adminUrl(''), 'uploaded these files');
  await send(`${PATH}/confirm`, new URLSearchParams({ token, id: idOf(await page()), checked: '1' }));
  await untilShown(service.adminUrl(''), 'imported these files');
  const list = get(
    'NotificationNotes',
    'GetStudentSchool',
    `school_base_url=${encodeURIComponent(SCHOOL)}&show_active=Y`,
  );
  expect((await exchange(service.port, list)).body.toString()).toContain('Şule Öz');
});
