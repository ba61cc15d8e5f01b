import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

import { freePort, PACKAGE_ROOT } from '../../../scripts/harness';
import type { Report } from '../../interop/report';
import { runCommand } from '../../interop/run-command';
import { Trial, type Workplace } from '../trial';

const RUN_IN_CHROOT = join(PACKAGE_ROOT, 'test', 'packaging', 'image', 'run-in-chroot.sh');
const SETTINGS = 'etc/school-notifications/settings.env';
const DATA = 'var/lib/school-notifications';

/**
 * Starts the service by the command line, the user and the environment of its unit, waits until it is ready, asks for a
 * reload, and stops it.
 */
const START = `
  unit=/lib/systemd/system/school-notifications.service
  value() { sed -n "s/^$1=//p" $unit; }
  cd "$(value WorkingDirectory)"
  umask "$(value UMask)"
  setpriv --reuid "$(value User)" --regid "$(value Group)" --clear-groups \\
    env -i PATH=/usr/bin:/bin $(value Environment) $(value ExecStart) >/tmp/out 2>/tmp/err &
  service=$!
  attempts=0
  until school-notifications health >/dev/null 2>&1; do
    attempts=$((attempts + 1))
    if [ $attempts -gt 200 ] || ! kill -0 $service; then cat /tmp/out /tmp/err; exit 1; fi
    sleep 0.2
  done
  school-notifications reload
  kill $service
  wait $service`;

/** The package for Debian, in a Debian that has nothing else. */
export async function tryDeb({ folder: parent, installed }: Workplace, report: Report): Promise<void> {
  const trial = new Trial(report, 'school-notifications.deb');
  if (trial.lacks('all of it', 'dpkg-deb', 'lintian', 'mmdebstrap', 'strip', 'unshare')) return;
  const folder = mkdtempSync(join(parent, 'deb-'));
  const root = join(folder, 'root');
  const run = (command: string, ...args: readonly string[]): Promise<string> =>
    runCommand(command, args, { folder });
  const inside = (command: string): Promise<string> =>
    run(
      'unshare',
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      'bash',
      RUN_IN_CHROOT,
      root,
      `set -eu\n${command}`,
    );

  await trial.check('is built', () => run(join(PACKAGE_ROOT, 'scripts', 'build-deb.sh'), folder, installed));
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (file === undefined) return;
  // It takes minutes, in which the package is tried.
  const judged = trial.check('has no errors for lintian', () =>
    run('lintian', '--allow-root', '--fail-on', 'error', file),
  );
  await makeOlder(file, run);
  await run(
    'mmdebstrap',
    '--quiet',
    '--variant=essential',
    '--include=adduser,libstdc++6',
    'bookworm',
    'root',
  );
  mkdirSync(join(root, 'packages'));
  for (const name of [file, 'older.deb']) copyFileSync(join(folder, name), join(root, 'packages', name));
  const port = String(await freePort());
  const adminPort = String(await freePort());

  await trial.check('is installed, and keeps others out of settings and data', async () => {
    await inside('dpkg --install /packages/older.deb');
    const modes = [SETTINGS, DATA].map((path) => (statSync(join(root, path)).mode & 0o777).toString(8));
    assert.deepEqual(modes, ['640', '700']);
  });
  await trial.check("starts by its unit's command line, and is reloaded", async () => {
    await inside(`printf 'PORT=${port}\\nADMIN_PORT=${adminPort}\\n' >>/${SETTINGS}\n${START}`);
    assert.ok(existsSync(join(root, DATA, 'service.db')));
  });
  await trial.check('is upgraded with its settings and data, and starts again', async () => {
    const before = readFileSync(join(root, SETTINGS), 'utf8');
    const { ino } = statSync(join(root, DATA, 'service.db'));
    await inside(`dpkg --install /packages/${file}\n${START}`);
    assert.equal(readFileSync(join(root, SETTINGS), 'utf8'), before);
    assert.equal(statSync(join(root, DATA, 'service.db')).ino, ino);
  });
  await trial.check('keeps settings and data when it is removed', async () => {
    await inside('dpkg --remove school-notifications');
    assert.ok(existsSync(join(root, SETTINGS)) && existsSync(join(root, DATA, 'service.db')));
    assert.ok(!existsSync(join(root, 'usr/bin/school-notifications')));
    assert.ok(!existsSync(join(root, 'usr/lib/school-notifications')));
  });
  await trial.check('leaves nothing when it is purged', async () => {
    await inside('dpkg --purge school-notifications');
    const left = await inside("find / -xdev -path /proc -prune -o -name '*school-notifications*' -print");
    assert.equal(left.replaceAll(/^\/packages\/.*\n/gm, ''), '');
  });
  await judged;
}

/** Writes the same package as `older.deb`, with a version before any other. */
async function makeOlder(
  file: string,
  run: (command: string, ...args: readonly string[]) => Promise<string>,
): Promise<void> {
  await run('dpkg-deb', '--raw-extract', file, 'older');
  await run('sed', '-i', 's/^Version: .*/Version: 0.1/', 'older/DEBIAN/control');
  await run('dpkg-deb', '--root-owner-group', '-Znone', '--build', 'older', 'older.deb');
}
