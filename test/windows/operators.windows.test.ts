import { readFileSync } from 'node:fs';

import { driveC, endRunning, PROGRAM_FOLDER, run } from './wine';

afterAll(endRunning);

const settings = { DATA_DIR: 'C:\\İşletme ş' };

describe('what an operator does on Windows', () => {
  it('adds a user of the console', async () => {
    const added = await run(['admin-user', 'ayse', '--role', 'operator'], {
      settings: { ...settings, ADMIN_USERS_FILE: 'C:\\users.json' },
      input: 'doğru at pil zımba\r\n',
    });
    expect({ code: added.code, stderr: added.stderr }).toEqual({ code: 0, stderr: '' });
    expect(added.stdout).toContain('Added ayse (operator).');
    expect(readFileSync(driveC('users.json'), 'utf8')).toMatch(/"ayse": \{\s+"role": "operator"/);
  });

  it('imports the workbook of the archive with its examples', async () => {
    const { code, stdout, stderr } = await run(['import', `C:\\${PROGRAM_FOLDER}\\school.en.xlsx`], {
      settings,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/students.*1 row/);
  });
});
