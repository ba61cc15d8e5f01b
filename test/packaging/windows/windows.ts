import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, cp } from 'node:fs/promises';
import { join } from 'node:path';

import { atExit, freePort, PACKAGE_ROOT } from '../../../scripts/harness';
import type { Report } from '../../interop/report';
import { runCommand } from '../../interop/run-command';
import { Trial, type Workplace } from '../trial';

const NAME = 'school-notifications';
const FOLDER = join('packaging', 'windows');
const SCRIPT = join(PACKAGE_ROOT, FOLDER, 'install.ps1');
const MACHINE = join(PACKAGE_ROOT, 'test', FOLDER, 'machine.ps1');

/** Writes down how it is called. */
const RECORD = 'echo "${0##*/} $*" >>"$MACHINE/calls"';
/** Stands in for WinSW, with the two commands that the script calls. */
const WRAPPER = `case $1 in install) touch "$MACHINE/service" ;; uninstall) rm "$MACHINE/service" ;; esac`;

/** The script for Windows, run by PowerShell; services, firewall and rights have stand-ins. */
export async function tryWindows(
  { folder: parent, file, installed }: Workplace,
  report: Report,
): Promise<void> {
  const trial = new Trial(report, 'install.ps1');
  if (trial.lacks('all of it', 'pwsh', 'curl')) return;
  const machine = mkdtempSync(join(parent, 'windows-'));
  const [programs, data, bin] = ['Program Files', 'ProgramData', 'bin'].map((name) => join(machine, name));
  assert(programs !== undefined && data !== undefined && bin !== undefined);
  const [program, state] = [join(programs, NAME), join(data, NAME)];
  for (const folder of [programs, data, bin]) mkdirSync(folder);
  const command = (path: string, script: string): void => {
    writeFileSync(path, `#!/bin/bash\nset -eu\n${script}\n`, { mode: 0o755 });
  };
  for (const name of ['icacls.exe', 'sc.exe']) command(join(bin, name), RECORD);
  // What npm installs of this package, the other parts have installed already.
  command(
    join(bin, 'npm.cmd'),
    `case "$*" in *${JSON.stringify(file)}) cp -R ${JSON.stringify(installed)}/. "$6" ;; *) npm "$@" ;; esac`,
  );
  symlinkSync(process.execPath, join(bin, 'node.exe'));
  const wrapper = join(machine, 'WinSW-x64.exe');
  command(wrapper, WRAPPER);

  const port = String(await freePort());
  const environment = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    MACHINE: machine,
    ProgramFiles: programs,
    ProgramData: data,
    POWERSHELL_TELEMETRY_OPTOUT: '1',
    // The settings file has paths of Windows.
    ...{ PORT: port, ADMIN_PORT: String(await freePort()), DATA_DIR: join(state, 'data') },
  };
  const install = (args: string, script = SCRIPT): Promise<string> =>
    runCommand('pwsh', ['-NoProfile', '-Command', `. '${MACHINE}'; & '${script}' ${args}`], {
      ...{ folder: machine, environment },
    });
  const text = (name: string): string => readFileSync(join(machine, name), 'utf8').trim();
  const answers = (): Promise<string> =>
    runCommand('curl', ['-fsS', `http://127.0.0.1:${port}/PushNotificationMobile.asmx?WSDL`], {
      folder: machine,
    });
  const stop = atExit(() => {
    if (!existsSync(join(machine, 'pid')) || !existsSync(`/proc/${text('pid')}`)) return;
    process.kill(Number(text('pid')), 'SIGKILL');
  });

  try {
    await trial.check('names a file that is missing', async () => {
      await assert.rejects(
        install('Install -Package none.tgz -Wrapper WinSW-x64.exe'),
        /there is no file 'none\.tgz'/,
      );
      await assert.rejects(
        install(`Install -Package '${file}' -Wrapper none.exe`),
        /there is no file 'none\.exe'/,
      );
    });
    await trial.check('installs the service, and gives it the rights that it needs', async () => {
      await install(`Install -Package '${file}' -Wrapper WinSW-x64.exe -OpenPort ${port}`);
      assert.match(await answers(), /<wsdl:definitions/);
      const rights = (folder: string, right: string): string =>
        `icacls.exe ${folder} /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F NT SERVICE\\${NAME}:(OI)(CI)${right}`;
      assert.deepEqual(text('calls').split('\n'), [
        `sc.exe config ${NAME} obj= NT SERVICE\\${NAME}`,
        `sc.exe sidtype ${NAME} unrestricted`,
        rights(state, 'RX'),
        rights(join(state, 'data'), 'M'),
        rights(join(state, 'logs'), 'M'),
      ]);
      assert.equal(text('firewall'), `Inbound Allow TCP ${port} ${join(program, 'node.exe')}`);
    });
    await trial.check('installs it once', () =>
      assert.rejects(
        install(`Install -Package '${file}' -Wrapper WinSW-x64.exe`),
        /installed already\. Use Upgrade/,
      ),
    );
    const settings = join(state, 'settings.env');
    await appendFile(settings, 'SMS_TEXT=Kod {code}\n');
    const kept = (): readonly unknown[] => [
      readFileSync(settings, 'utf8'),
      statSync(join(state, 'data', 'service.db')).ino,
    ];
    const before = kept();
    await trial.check('upgrades it, and keeps settings and data', async () => {
      const process = text('pid');
      await install(`Upgrade -Package '${file}'`);
      assert.notEqual(text('pid'), process);
      assert.match(await answers(), /<wsdl:definitions/);
      assert.deepEqual(kept(), before);
    });
    await trial.check('takes an upgrade back that does not start', async () => {
      const broken = await packBroken(machine);
      await assert.rejects(install(`Upgrade -Package '${broken}'`), /Failed to start service/);
      assert.match(await answers(), /<wsdl:definitions/);
      assert.deepEqual(kept(), before);
    });
    await trial.check('keeps settings and data when it removes the service', async () => {
      await install('Remove');
      assert.deepEqual([program, join(machine, 'service'), join(machine, 'firewall')].filter(existsSync), []);
      assert.deepEqual(kept(), before);
    });
    await trial.check('leaves nothing with -Purge', async () => {
      await install(`Install -Package '${file}' -Wrapper WinSW-x64.exe`);
      assert.deepEqual(kept(), before);
      assert.ok(!existsSync(join(machine, 'firewall')));
      await install('Remove -Purge');
      assert.deepEqual([program, state].filter(existsSync), []);
    });
    await trial.check('installs what lies beside the script in the archive', async () => {
      const unpacked = join(machine, 'unpacked');
      await cp(installed, unpacked, { recursive: true });
      copyFileSync(SCRIPT, join(unpacked, 'install.ps1'));
      symlinkSync(process.execPath, join(unpacked, 'node.exe'));
      await install('Install -Wrapper WinSW-x64.exe', join(unpacked, 'install.ps1'));
      assert.match(await answers(), /<wsdl:definitions/);
      await install('Remove -Purge');
    });
  } finally {
    stop();
  }
}

/** Packs the same package with a program that ends at once. */
async function packBroken(folder: string): Promise<string> {
  const broken = join(folder, 'broken');
  await cp(join(PACKAGE_ROOT, FOLDER), join(broken, FOLDER), { recursive: true });
  mkdirSync(join(broken, 'dist'));
  writeFileSync(join(broken, 'dist', 'main.js'), 'process.exit(1);\n');
  writeFileSync(join(broken, 'package.json'), JSON.stringify({ name: NAME, version: '9.0.0' }));
  const packed = await runCommand('npm', ['pack', '--silent'], { folder: broken });
  const file = join(broken, packed.trim());
  assert.ok(existsSync(file));
  return file;
}
