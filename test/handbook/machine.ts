import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { atExit, freePort, PACKAGE_ROOT } from '../../scripts/harness';
import { SETTINGS } from '../../src/config';
import type { Block } from './blocks';

/** Programs that would change the machine on which the handbook is tried, and what stands in for each. */
const STAND_INS: Readonly<Record<string, string>> = {
  systemctl: 'systemctl',
  journalctl: 'journalctl',
  install: 'install',
  'school-notifications': 'school-notifications',
  npm: 'npm',
  sudo: 'as-is',
  runuser: 'as-is',
  // What these do is tried by `npm run test:packaging`.
  useradd: 'done',
  nginx: 'done',
  buildah: 'done',
  docker: 'done',
};
const FOLDERS = [
  ...['bin', 'run', 'home', 'opt', 'var/lib/school-notifications', 'var/backups/school-notifications'],
  ...['etc/systemd/system', 'etc/nginx/conf.d', 'etc/prometheus', 'srv', 'usr/local/bin', 'tmp'],
];
/** Absolute paths of the pages that lie below the machine's folder. */
const OWN_PATHS = /(?<![\w.$}/-])\/(?=(?:opt|etc|srv|tmp|var\/(?:lib|backups)|usr\/local\/bin)\b)/g;
/** Commands that tell by their exit code of something that is no failure here: that no provider is set up. */
const WARNING = 1;

/** How a block ended. */
export interface Ending {
  readonly code: number | null;
  readonly output: string;
}

/**
 * A folder that stands for a machine of the handbook's: its paths lie below it, its service has ports of its own, and
 * what would change the real machine has a stand-in.
 */
export class Machine {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  /** The shell alone has these: the service gets its settings from its file. */
  readonly #variables: Readonly<Record<string, string>>;
  readonly #ports: Readonly<Record<string, string>>;

  private constructor(
    folder: string,
    environment: NodeJS.ProcessEnv,
    variables: Readonly<Record<string, string>>,
    ports: Readonly<Record<string, string>>,
  ) {
    this.#folder = folder;
    this.#environment = environment;
    this.#variables = variables;
    this.#ports = ports;
  }

  /**
   * @param folder - an empty one
   * @param variables - those that the pages' commands name
   */
  static async make(folder: string, variables: Readonly<Record<string, string>>): Promise<Machine> {
    for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    const standIns = join(PACKAGE_ROOT, 'test', 'handbook', 'stand-ins');
    for (const [name, standIn] of Object.entries(STAND_INS)) {
      chmodSync(join(standIns, standIn), 0o755);
      symlinkSync(join(standIns, standIn), join(folder, 'bin', name));
    }
    const [port, adminPort] = [String(await freePort()), String(await freePort())];
    const path = [join(folder, 'bin'), join(folder, 'usr/local/bin'), process.env['PATH']].join(':');
    const environment = {
      // npm goes by variables of this machine, too; the service shall go by its file alone.
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in SETTINGS))),
      PATH: path,
      LANG: 'C.UTF-8',
      MACHINE: folder,
      PORT: port,
      ADMIN_PORT: adminPort,
      DATA_DIR: join(folder, 'var/lib/school-notifications'),
    };
    const machine = new Machine(folder, environment, variables, {
      ':8080': `:${port}`,
      ':8081': `:${adminPort}`,
    });
    atExit(() => {
      machine.#kill();
    });
    return machine;
  }

  /** Runs a block as somebody does who copies it into a shell; its first command that fails ends it. */
  run({ script }: Block): Ending {
    const lines = script.replace(OWN_PATHS, `${this.#folder}/`);
    const text = Object.entries(this.#ports).reduce((all, [from, to]) => all.replaceAll(from, to), lines);
    const set = Object.entries(this.#variables).map(([name, value]) => `${name}='${value}'`);
    const whole = [...set, ACCEPT_WARNINGS, text].join('\n');
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', whole], {
      cwd: join(this.#folder, 'home'),
      env: this.#environment,
      encoding: 'utf8',
      input: '',
      timeout: 300_000,
    });
    return { code: status, output: stdout + stderr };
  }

  /** Ends the service, where it runs. */
  stop(): void {
    execFileSync(join(this.#folder, 'bin', 'systemctl'), ['stop', 'school-notifications'], {
      env: this.#environment,
    });
  }

  #kill(): void {
    const file = join(this.#folder, 'run', 'pid');
    if (!existsSync(file)) return;
    try {
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** `check` warns where nothing is sent yet. */
const ACCEPT_WARNINGS = `
school-notifications() {
  local code=0
  command school-notifications "$@" || code=$?
  [ "$code" -eq 0 ] || { [ "$1" = check ] && [ "$code" -eq ${String(WARNING)} ]; }
}`;
