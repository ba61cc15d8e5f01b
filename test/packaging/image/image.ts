import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { atExit, freePort, PACKAGE_ROOT } from '../../../scripts/harness';
import type { Report } from '../../interop/report';
import { findCommand, runCommand } from '../../interop/run-command';
import { Trial, until, type Workplace } from '../trial';
import { buildInChroot } from './build-in-chroot';

const SCRIPTS = join(PACKAGE_ROOT, 'test', 'packaging', 'image');
const USER = 10_001;
const PROGRAM = '/opt/school-notifications/node_modules/school-notifications/dist/main.js';

interface ImageConfig {
  readonly config: Readonly<Record<string, unknown>>;
}

/** The image: built with buildah or, where that cannot be, by the same steps in a chroot; and what is in it run with the rights that it has in a container. */
export async function tryImage({ folder: parent, file }: Workplace, report: Report): Promise<void> {
  const trial = new Trial(report, 'Containerfile');
  if (trial.lacks('all of it', 'mmdebstrap', 'unshare')) return;
  const folder = mkdtempSync(join(parent, 'image-'));
  const root = join(folder, 'root');
  await runCommand('bash', [join(SCRIPTS, 'bases.sh'), folder], { folder });
  const reason = await whyNoBuildah(folder);
  if (reason === undefined)
    await trial.check('is built in its stages, by buildah', () =>
      runCommand('bash', [join(SCRIPTS, 'build-with-buildah.sh'), file, folder], { folder }),
    );
  else
    await trial.check(`has steps that can be followed, in a chroot (${reason})`, () =>
      buildInChroot(file, folder),
    );
  if (!existsSync(root)) return;
  await trial.check('has a user, a volume, a health check and a start that need no shell', () => {
    const { config } = JSON.parse(readFileSync(join(folder, 'image.json'), 'utf8')) as ImageConfig;
    assert.equal(config['User'], `${String(USER)}:${String(USER)}`);
    assert.deepEqual(config['Volumes'], { '/data': {} });
    assert.deepEqual(config['Entrypoint'], ['/usr/local/bin/node', PROGRAM]);
    assert.deepEqual((config['Healthcheck'] as { Test: unknown }).Test, [
      'CMD',
      '/usr/local/bin/node',
      PROGRAM,
      'health',
    ]);
    assert.ok(!existsSync(join(root, 'bin', 'sh')));
  });
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, USER, USER);
  const environment = { DATA_DIR: '/data', PORT: String(await freePort()), ADMIN_PORT: 'off' };
  const inside = (command: string): readonly [string, string[]] => [
    'unshare',
    ['--mount', 'bash', join(SCRIPTS, 'start.sh'), root, data, command],
  ];
  const health = (): Promise<number> =>
    new Promise((resolve) => {
      const child = execFile(
        ...inside('health'),
        { env: { PATH: process.env['PATH'], ...environment } },
        () => {
          resolve(child.exitCode ?? -1);
        },
      );
    });
  await trial.check('is unhealthy before it runs', async () => {
    assert.equal(await health(), 1);
  });
  await trial.check(
    'runs without a right to write but in /data, is healthy, and stops on SIGTERM',
    async () => {
      const child = spawn(...inside('start'), {
        env: { PATH: process.env['PATH'], ...environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const kill = atExit(() => child.kill('SIGKILL'));
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
      const ended = once(child, 'close');
      await until('it is healthy', async () => {
        if (child.exitCode !== null) throw new Error(said);
        return (await health()) === 0;
      });
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      kill();
      assert.ok(existsSync(join(data, 'service.db')));
    },
  );
}

/** Why the machine cannot build images, if it cannot. */
async function whyNoBuildah(folder: string): Promise<string | undefined> {
  if (findCommand('buildah') === undefined) return 'there is no buildah';
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'runroot')];
  try {
    await runCommand('buildah', [...storage, '--storage-driver', 'vfs', 'from', 'scratch'], { folder });
    return undefined;
  } catch (error) {
    return `buildah does not work here: ${String(error)}`;
  }
}
