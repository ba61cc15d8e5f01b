import { appendFileSync, readFileSync } from 'node:fs';

import { exchange, freePort, get } from '../../scripts/harness';
import { readRepositoryFile } from '../harness/repository-files';
import { driveC, endRunning, PROGRAM_FOLDER, runWine, Running } from './wine';

afterAll(endRunning);

const [, HOUR = ''] = /^## The first hour\n([^]*?)^## /m.exec(readRepositoryFile('docs/windows.md')) ?? [];
const STATE = 'ProgramData/school-notifications';
const inFolder = (text: string): string =>
  text.replaceAll(String.raw`C:\school\school-notifications`, `C:\\${PROGRAM_FOLDER}`);

describe('the first hour of docs/windows.md', () => {
  const commands = Array.from(
    HOUR.matchAll(/\.\\school-notifications\.cmd ([^`\n]+)/g),
    ([, args = '']) => args,
  );
  const [start = '', dryRun = '', load = '', addUser = '', check = ''] = commands;
  const run = (args: string, input?: string) =>
    runWine(['cmd', '/c', 'school-notifications.cmd', ...args.split(' ').map(inFolder)], {
      ...(input !== undefined && { input }),
    });

  it('has these commands of the program', () => {
    expect(commands).toEqual([
      'start',
      String.raw`import --dry-run C:\school\school-notifications\school.en.xlsx`,
      String.raw`import C:\school\school-notifications\school.en.xlsx`,
      'admin-user secretary --role operator',
      'check',
    ]);
  });

  it('leads from the archive to the first code', async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    // As users start it: without the options that spare the other tests time.
    const settings = { PORT: String(port), ADMIN_PORT: String(adminPort), NODE_OPTIONS: '' };
    const service = new Running(['cmd', '/c', 'school-notifications.cmd', start], settings);
    await service.says(/^Press Ctrl-C/m);
    expect(HOUR).toContain('It prints `The database is empty.`');
    expect(service.errors).toContain('The database is empty.');
    const page = await (await fetch(`http://127.0.0.1:${String(adminPort)}/`)).text();
    expect(HOUR).toContain('the console says `Messages are not sent (sms).`');
    expect(page).toContain('Messages are not sent (sms).');

    expect(await run(dryRun)).toMatchObject({
      stdout: expect.stringContaining('Dry run: nothing was written.') as string,
    });
    expect((await run(load)).stdout).toMatch(/students.*1 row/);

    const [, setting = ''] = /settings\.env "(ADMIN_USERS_FILE=[^"]+)"/.exec(HOUR) ?? [];
    appendFileSync(driveC(`${PROGRAM_FOLDER}/settings.env`), `${setting}\r\n`);
    expect((await run(addUser, 'doğru at pil zımba\r\n')).stdout).toContain('Added secretary (operator).');
    expect(readFileSync(driveC(`${STATE}/users.json`), 'utf8')).toContain('"secretary"');

    const [, query = ''] = /AuthCodeSending\.asmx\/AuthCode\?([^"]+)"/.exec(HOUR) ?? [];
    expect((await exchange(port, get('AuthCodeSending', 'AuthCode', query))).status).toBe(200);
    await service.says(/"channel":"sms","state":"written"/);
    expect(readFileSync(driveC(`${STATE}/data/outbox/sms.jsonl`), 'utf8')).toContain('123456');

    const checked = await run(check);
    expect({ code: checked.code, stderr: checked.stderr }).toEqual({ code: 0, stderr: '' });
    // Wine's shell ends on Ctrl-C before the program does; service.windows.test.ts presses it without a shell.
    await service.kill();
  });
});
