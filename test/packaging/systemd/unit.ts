import assert from 'node:assert/strict';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import type { Report } from '../../interop/report';
import { runCommand } from '../../interop/run-command';
import { Trial, until, type Workplace } from '../trial';
import { SystemdBeside } from './systemd-beside';

const FILE = 'school-notifications.service';
const UNIT = join(PACKAGE_ROOT, 'packaging', FILE);
const SERVICE = 'school-notifications';
/** The answer of a service that takes requests, before it looked at its alert rules for the first time. */
const READY = '{"status":"ready"}';
/** The answer after that look: no gateway is set, so nothing is sent. */
const DEGRADED = '{"status":"degraded","alerts":["FileChannel"]}';
/** Tenths. */
const MAX_EXPOSURE = '20';

/** Does what docs/install.md says, as root. */
const INSTALL = `
  packaging=/opt/school-notifications/node_modules/school-notifications/packaging
  useradd --system --user-group --home-dir /var/lib/school-notifications --shell /usr/sbin/nologin ${SERVICE}
  install -d -m 750 -g ${SERVICE} /etc/school-notifications
  install -m 640 -g ${SERVICE} $packaging/settings.env /etc/school-notifications/
  install -m 755 $packaging/school-notifications.sh /usr/local/bin/school-notifications
  install -m 644 $packaging/school-notifications.service /etc/systemd/system/
  systemctl daemon-reload`;

/** The unit: what systemd says of it, and what becomes of the service under a systemd that runs. */
export async function tryUnit({ installed }: Workplace, report: Report): Promise<void> {
  const trial = new Trial(report, FILE);
  if (trial.lacks('all of it', 'systemd-analyze')) return;
  await trial.check('exposes no more than 2.0 (systemd-analyze security)', () =>
    runCommand('systemd-analyze', ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, UNIT], {
      folder: '/',
    }),
  );
  const running = 'runs under systemd';
  if (trial.lacks(running, 'nsenter', 'unshare', 'curl')) return;
  let systemd: SystemdBeside;
  try {
    systemd = await SystemdBeside.boot(installed);
  } catch (error) {
    trial.skip(running, `systemd cannot be booted beside this machine's own: ${String(error)}`);
    return;
  }
  try {
    await tryService(systemd, trial);
  } finally {
    systemd.end();
  }
}

async function tryService(systemd: SystemdBeside, trial: Trial): Promise<void> {
  const show = async (property: string): Promise<string> =>
    (await systemd.run('systemctl', 'show', SERVICE, '--value', '-p', property)).trim();
  const log = (): Promise<string> =>
    systemd.script(`journalctl --sync; journalctl -u ${SERVICE} -o cat --no-pager`);
  const curl = (path: string, ...options: readonly string[]): Promise<string> =>
    systemd.run('curl', '-sS', '-m', '10', ...options, `http://127.0.0.1:${path}`);
  /** The service is ready as soon as systemd says that it runs; it looks at its alert rules a moment later. */
  const assertReady = async (): Promise<void> => {
    let answer = READY;
    await until('it has looked at its alert rules', async () => {
      answer = await curl('8080/readyz');
      return answer !== READY;
    });
    assert.equal(answer, DEGRADED);
  };
  const restartWith = (name: string, lines: string): Promise<string> =>
    systemd.script(`mkdir -p /etc/systemd/system/${FILE}.d
      printf '[Service]\\n%b' '${lines}' >/etc/systemd/system/${FILE}.d/${name}.conf
      systemctl daemon-reload; systemctl restart ${SERVICE}`);

  await trial.check('is installed as the handbook says', () => systemd.script(INSTALL));
  await trial.check('has nothing wrong in it (systemd-analyze verify)', async () => {
    const said = await systemd.script(`systemd-analyze verify ${FILE} 2>&1`);
    assert.equal(said, '');
  });
  await trial.check('has started when the service is ready', async () => {
    await systemd.run('systemctl', 'start', SERVICE);
    await assertReady();
    assert.equal(await show('ActiveState'), 'active');
  });
  await trial.check('begins with an empty database', async () => {
    const answer = await curl('8080/PushNotificationMobile.asmx/GetTokenDevice?id=DEV-1');
    assert.match(answer, /<string xmlns="[^"]+"\s*\/>|<string xmlns="[^"]+"><\/string>/);
  });
  await trial.check('runs as its own user, which alone can read its data', async () => {
    const owner = await systemd.script(`ps -o user:32= -p "$(systemctl show ${SERVICE} --value -p MainPID)"`);
    assert.equal(owner.trim(), SERVICE);
    const open = await systemd.run(
      'find',
      '/var/lib/school-notifications',
      '-perm',
      '/077',
      '-not',
      '-type',
      'l',
    );
    assert.equal(open, '');
  });
  await trial.check('commands go by the same settings and data', async () => {
    assert.equal(await systemd.run('school-notifications', 'health'), `${DEGRADED}\n`);
    const checked = await systemd.script('school-notifications check || [ $? -eq 1 ]');
    assert.match(checked, /DATA_DIR +\S+\/settings\.env, line \d+ +\/var\/lib\/school-notifications\n/);
  });
  await trial.check('reads its files again on systemctl reload, and is active again then', async () => {
    const process = await show('MainPID');
    await systemd.run('systemctl', 'reload', SERVICE);
    await until('the log says so', async () => (await log()).includes('reloaded settings and files'));
    await until('systemd has heard that it is done', async () => (await show('SubState')) === 'running');
    assert.equal(await show('MainPID'), process);
  });
  await trial.check('gives secrets as credentials (secrets.conf)', () => trySecrets(systemd, curl));
  await trial.check('starts several processes, all of them ready', async () => {
    await systemd.script('echo PROCESSES=2 >>/etc/school-notifications/settings.env');
    await systemd.run('systemctl', 'restart', SERVICE);
    await assertReady();
    // Without systemd-notify, which runs now and then.
    const processes = await systemd.script(
      `for pid in $(cat /sys/fs/cgroup/system.slice/${FILE}/cgroup.procs); do readlink /proc/$pid/exe || true; done`,
    );
    // One that supervises, two that answer, one that delivers.
    assert.equal(processes.split('\n').filter((program) => program.endsWith('/node')).length, 4);
  });
  await trial.check('is started anew by the watchdog where it hangs', async () => {
    // Long enough for a busy machine to start systemd-notify in time.
    await restartWith('watchdog', 'WatchdogSec=10s\\nRestartSec=0');
    await systemd.script(`kill -STOP "$(systemctl show ${SERVICE} --value -p MainPID)"`);
    await until('systemd restarted it', async () => (await show('NRestarts')) !== '0');
    await until('it runs again', async () => (await show('SubState')) === 'running');
    await assertReady();
  });
  await trial.check('stops in good order', async () => {
    await systemd.run('systemctl', 'stop', SERVICE);
    assert.deepEqual([await show('Result'), await show('ExecMainStatus')], ['success', '0']);
    assert.doesNotMatch(await log(), /systemd-notify failed/);
  });
  await trial.check('fails to start with settings that are wrong, and says why', async () => {
    await systemd.script('echo PORT=many >>/etc/school-notifications/settings.env');
    await assert.rejects(systemd.run('systemctl', 'start', SERVICE));
    assert.match(await log(), /PORT: "many" is not valid/);
  });
}

const TOKEN = 'a-token-of-the-metrics';

/**
 * Holds the values of the example that the tests can know: the token of the metrics, which nobody but root can read on
 * the disk.
 */
async function trySecrets(
  systemd: SystemdBeside,
  curl: (path: string, ...options: readonly string[]) => Promise<string>,
): Promise<void> {
  await systemd.script(`
    install -d -m 700 /etc/school-notifications/secrets
    (umask 077 && echo ${TOKEN} >/etc/school-notifications/secrets/metrics-token)
    echo ADMIN_USERS_FILE=/var/lib/school-notifications/users.json >>/etc/school-notifications/settings.env
    echo a-password-of-some-length | school-notifications admin-user anna --role operator
    mkdir -p /etc/systemd/system/${FILE}.d
    grep -e Service -e metrics-token \\
      /opt/school-notifications/node_modules/school-notifications/packaging/secrets.conf \\
      >/etc/systemd/system/${FILE}.d/secrets.conf
    systemctl daemon-reload
    systemctl restart ${SERVICE}`);
  const status = (...options: readonly string[]): Promise<string> =>
    curl('8081/metrics', '-o', '/dev/null', '-w', '%{http_code}', ...options);
  assert.equal(await status('-H', `Authorization: Bearer ${TOKEN}`), '200');
  assert.notEqual(await status('-H', 'Authorization: Bearer another-token-of-it'), '200');
}
