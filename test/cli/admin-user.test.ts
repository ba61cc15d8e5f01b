import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { matchesSecret, parseSecretHash } from '../../src/access/secret-hash';
import { quickHash } from '../harness/quick-hash';
import { runCommand } from '../harness/run-command';
import { useFolder } from '../harness/use-folder';

describe('school-notifications admin-user', () => {
  const folder = useFolder();
  const file = join(folder, 'admins.json');
  afterEach(() => {
    rmSync(file, { force: true });
  });

  const run = (args: readonly string[], input = 'correct horse\n', how = runCommand) =>
    how('admin-user', args, { folder, input, settings: { ADMIN_USERS_FILE: file } });
  const users = () =>
    (JSON.parse(readFileSync(file, 'utf8')) as { users: Record<string, { role: string; secret: string }> })
      .users;

  it('creates the file for its owner only, with a hash of the password', async () => {
    const { code, out } = await run(
      ['anna', '--role', 'operator'],
      'correct horse\nanother line\n',
      runCommand,
    );
    expect([code, out]).toEqual([
      0,
      `Added anna (operator). Run npx school-notifications reload if the service is running.\n`,
    ]);
    const { role = '', secret = '' } = users()['anna'] ?? {};
    expect(role).toBe('operator');
    const hash = parseSecretHash(secret);
    expect(hash !== undefined && (await matchesSecret(hash, 'correct horse'))).toBe(true);
    expect(readFileSync(file, 'utf8')).not.toContain('horse');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('adds others, changes passwords and roles, and removes a user', async () => {
    const anna = { role: 'operator', secret: quickHash('correct horse') };
    writeFileSync(file, JSON.stringify({ users: { anna } }));
    await run(['ben']);
    const before = users();
    expect(before).toMatchObject({ anna, ben: { role: 'viewer' } });

    expect((await run(['anna'], 'battery staple\n')).out).toContain(
      'Changed the password of anna (operator).',
    );
    expect(users()['anna']?.secret).not.toBe(before['anna']?.secret);
    expect(users()['ben']).toEqual(before['ben']);
    await run(['anna', '--role', 'viewer']);
    expect(users()['anna']?.role).toBe('viewer');

    expect((await run(['anna', '--remove'])).out).toContain('Removed anna.');
    expect(Object.keys(users())).toEqual(['ben']);
  });

  it.each([
    [['anna'], 'short\n', 'The secret is too short. It needs at least 8 characters.'],
    [['anna'], '', 'No secret on standard input.'],
    [['a:b'], 'correct horse\n', 'Not a valid name.'],
    [['ayşe'], 'correct horse\n', 'Use up to 64 of a to z, A to Z, digits and . _ @ -,'],
    [['nobody', '--remove'], '', 'No user has this name.'],
    [['constructor', '--remove'], '', 'No user has this name.'],
    [['anna', '--role', 'king'], '', "argument 'king' is invalid"],
    [['anna', '--role', 'viewer', '--remove'], '', 'cannot be used with option'],
  ])('with %j and the input %j reports: %s', async (args, input, text) => {
    const { code, err } = await run(args, input);
    expect(code).toBe(1);
    expect(err).toContain(text);
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it('leaves an unreadable file unchanged, and requires its path', async () => {
    writeFileSync(file, '{');
    expect((await run(['anna'])).err).toContain('(ADMIN_USERS_FILE) is not valid JSON');
    expect(readFileSync(file, 'utf8')).toBe('{');
    const { err } = await runCommand('admin-user', ['anna'], { folder, input: 'correct horse\n' });
    expect(err).toContain('ADMIN_USERS_FILE is not set');
    const elsewhere = { ADMIN_USERS_FILE: join(folder, 'no', 'admins.json') };
    const failed = await runCommand('admin-user', ['anna'], {
      folder,
      input: 'correct horse\n',
      settings: elsewhere,
    });
    expect(failed.err).toContain('Error: Cannot write ADMIN_USERS_FILE, ');
  });
});
