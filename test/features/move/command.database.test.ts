import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { sql } from 'kysely';

import { childEnvironment, PROGRAM } from '../../../scripts/harness';
import { letGoOfClosed } from '../../harness/closed-connections';
import { runCommand } from '../../harness/run-command';
import { useDatabase } from '../../harness/test-databases';
import { contents, fill, over } from './moved-database';

describe('the process of a move', () => {
  const source = useDatabase('sqlite');
  const target = useDatabase('postgres', { holds: 'nothing' });
  const run = async (...args: readonly string[]) => {
    await letGoOfClosed(source.folder);
    return runCommand('move', args, { folder: source.folder, settings: { DATABASE_URL: source.url } });
  };

  it('changes nothing if it is killed, and then starts over', async () => {
    await fill(source.url);
    await letGoOfClosed(source.folder);
    const child = spawn(process.execPath, [PROGRAM, 'move', '--to', target.url], {
      env: childEnvironment({ DATABASE_URL: source.url }),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise((resolve) =>
      child.once('close', (_code, signal) => {
        resolve(signal);
      }),
    );
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith('70 %')) child.kill('SIGKILL');
    }
    expect(await ended).toBe('SIGKILL');
    const before = await contents(source.url);
    expect(await run('--to', target.url)).toMatchObject({ code: 0, err: '' });
    expect(await contents(target.url)).toEqual(before);
  }, 30_000);

  it('keeps only a few rows in memory', async () => {
    const ROWS = 8000;
    await over(source.url, ({ kysely }) =>
      sql`insert into messages (id, channel, state, recipient, school, payload, attempts, next_attempt_at, expires_at, created_at, updated_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(ROWS)})
        select n, 'mark', 'sent', '1A', '', hex(randomblob(4000)), 1, 1, 1, 1, 1 from numbers`.execute(
        kysely,
      ),
    );
    await letGoOfClosed(source.folder);
    const to = `sqlite:${join(source.folder, 'new.db')}`;
    // 64 MB of text.
    const child = spawn(process.execPath, ['--max-old-space-size=48', PROGRAM, 'move', '--to', to], {
      // V8's own counts of what runs take memory as well (`npm run coverage`).
      env: childEnvironment({ DATABASE_URL: source.url, NODE_V8_COVERAGE: '' }),
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(err).toBe('');
    expect(out).toMatch(/^messages +8,000 /m);
  }, 60_000);
});
