import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { atExit, PACKAGE_ROOT } from '../../../scripts/harness';
import { runCommand } from '../../interop/run-command';
import { until } from '../trial';

const BOOT = join(PACKAGE_ROOT, 'test', 'packaging', 'systemd', 'boot.sh');

/** This machine's systemd, booted beside it in namespaces of its own; what is done there is done to nothing else. */
export class SystemdBeside {
  readonly #systemd: number;
  readonly #end: () => void;

  private constructor(systemd: number, end: () => void) {
    this.#systemd = systemd;
    this.#end = end;
  }

  /**
   * @param installed - folder that appears as /opt/school-notifications
   * @throws Error where this machine does not let it: that takes root, namespaces, an overlay and a cgroup
   */
  static async boot(installed: string): Promise<SystemdBeside> {
    const cgroup = join(cgroupRoot(), `school-notifications-test-${String(process.pid)}`);
    const said: string[] = [];
    const child = spawn('bash', [BOOT, cgroup, installed, process.execPath], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => said.push(text));
    const pid = String(child.pid);
    let systemd = 0;
    const end = atExit(() => {
      if (systemd > 0 && child.exitCode === null) process.kill(systemd, 'SIGKILL');
      else child.kill('SIGKILL');
      removeGroups(cgroup);
    });
    const beside = (): SystemdBeside => new SystemdBeside(systemd, end);
    try {
      await until('systemd runs', async () => {
        if (child.exitCode !== null) throw new Error(said.join('').trim());
        systemd = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
        return (
          systemd > 0 &&
          (await beside()
            .run('systemctl', 'is-system-running')
            .then(
              () => true,
              () => false,
            ))
        );
      });
      return beside();
    } catch (error) {
      end();
      throw error;
    }
  }

  /**
   * Runs a command there, as root.
   *
   * @returns what it wrote to standard output
   * @throws Error with all that it wrote when it fails
   */
  run(...command: readonly string[]): Promise<string> {
    const there = ['--target', String(this.#systemd), '-m', '-u', '-i', '-p', '-n', '-C', '-r', '-w'];
    return runCommand('nsenter', [...there, ...command], { folder: '/' });
  }

  /** Runs a script for bash there. */
  script(text: string): Promise<string> {
    return this.run('bash', '--norc', '-euc', text);
  }

  end(): void {
    this.#end();
  }
}

/** Where the machine has its groups of processes of the second version. */
function cgroupRoot(): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const found = mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2');
  if (found?.[1] === undefined) throw new Error('no cgroup2 is mounted');
  return found[1];
}

/** A group goes when its processes have, which takes them a moment after they were killed. */
function removeGroups(path: string): void {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      removeGroup(path);
      return;
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function removeGroup(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(path, entry.name));
  rmdirSync(path);
}
