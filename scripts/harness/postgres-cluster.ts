import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { freePort } from './ports';
import { atExit } from './run-folder';

/** A PostgreSQL of the run's own, with one empty database. */
export interface PostgresCluster {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Replaces the certificate of one that speaks TLS, after the next pg_reload_conf(). */
  readonly certify: (certificate: string) => void;
  /** Ends the server and deletes all that it held; at the latest the end of this process does. */
  readonly stop: () => void;
  /** Starts the server again after `end`. */
  readonly restart: () => Promise<void>;
  /** Ends the server with a signal and keeps its files; resolves when it has ended. */
  readonly end: (signal: 'SIGKILL' | 'SIGINT') => Promise<void>;
}

export interface ClusterOptions {
  /** True if it waits for the disk as servers do; who ends processes, never the machine, need not. */
  readonly durable?: boolean;
  /** With it the server speaks TLS, and lets the user `tls_only` in over nothing else. */
  readonly tls?: { readonly key: string; readonly certificate: string };
  /** Makes it a standby of that server, with a copy of its data. */
  readonly standbyOf?: PostgresCluster;
  /** Its port; default: a free one. */
  readonly port?: number;
  /** Where its files are; default: the folder for temporary files. */
  readonly folder?: string;
}

/** Holds a folder of programs per version. POSTGRES_ROOT names another; one that does not exist hides the server. */
const ROOT = process.env['POSTGRES_ROOT'] ?? '/usr/lib/postgresql';
const START_TIMEOUT_MS = 30_000;
const run = promisify(execFile);

/**
 * Starts a server on a free port of the loopback address, in a temporary folder, by a user who is not root (the
 * server refuses root). Resolves to undefined where none is installed.
 *
 */
export async function startPostgresCluster({
  durable = true,
  tls,
  standbyOf,
  port: givenPort,
  folder: parent = tmpdir(),
}: ClusterOptions = {}): Promise<PostgresCluster | undefined> {
  const programs = newestPrograms();
  if (programs === undefined) return undefined;

  const folder = mkdtempSync(join(parent, 'test-postgres-'));
  const data = join(folder, 'data');
  const password =
    standbyOf === undefined ? randomBytes(12).toString('hex') : new URL(standbyOf.url).password;
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const user = serverUser();
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } };

  // SCRAM takes each side some milliseconds for each connection, on purpose; tests make thousands.
  const method = durable ? 'scram-sha-256' : 'md5';
  const access = ['-U', 'postgres', '-A', method, `--pwfile=${passwordFile}`];
  if (standbyOf === undefined) {
    await run(join(programs, 'initdb'), ['-D', data, ...access, '-E', 'UTF8', '--no-sync'], options);
  } else {
    const from = ['-R', '-c', 'fast', '--no-sync', '-d', standbyOf.url.replace(/\/postgres$/, '')];
    await run(join(programs, 'pg_basebackup'), ['-D', data, ...from], options);
  }
  const port = givenPort ?? (await freePort());
  const certificateFile = join(data, 'server.crt');
  if (tls !== undefined) {
    const keyFile = join(data, 'server.key');
    writeFileSync(certificateFile, tls.certificate);
    writeFileSync(keyFile, tls.key, { mode: 0o600 });
    const accessFile = join(data, 'pg_hba.conf');
    const rules = readFileSync(accessFile, 'utf8');
    writeFileSync(accessFile, `hostnossl all tls_only all reject\n${rules}`);
    if (user !== undefined)
      for (const path of [certificateFile, keyFile]) chownSync(path, user.uid, user.gid);
  }
  const settings = {
    // The second is for what a certificate does not name.
    listen_addresses: tls === undefined ? '127.0.0.1' : '127.0.0.1,127.0.0.2',
    ...(tls !== undefined && { ssl: 'on' }),
    port,
    unix_socket_directories: folder,
    // Stores of several test files are open at once, each with a pool of its own.
    max_connections: 500,
    ...(!durable && { fsync: 'off', full_page_writes: 'off' }),
  };
  const open = (): ChildProcess => {
    const started = spawn(
      join(programs, 'postgres'),
      [
        '-D',
        data,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${String(value)}`]),
      ],
      { ...options, stdio: 'ignore' },
    );
    // It ends with this process, and does not keep it from its end.
    started.unref();
    return started;
  };
  let server = open();
  const stop = atExit(() => {
    // Immediate shutdown: nothing in it is kept. The server ends its own children.
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  const isReady = [join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]] as const;
  const ready = async (): Promise<void> => {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (
      !(await run(...isReady).then(
        () => true,
        () => false,
      ))
    ) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error('PostgreSQL did not start.');
      await delay(50);
    }
  };
  await ready();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${String(port)}/postgres`,
    port,
    get pid() {
      return server.pid ?? 0;
    },
    certify: (certificate) => {
      writeFileSync(certificateFile, certificate);
    },
    stop,
    restart: async () => {
      const deadline = Date.now() + START_TIMEOUT_MS;
      for (;;) {
        server = open();
        try {
          await ready();
          return;
        } catch (error) {
          // Processes of a killed server may use its memory for a moment longer: a new server then ends at once.
          if (server.exitCode === null || Date.now() > deadline) throw error;
        }
      }
    },
    end: async (signal) => {
      const ended = once(server, 'exit');
      server.kill(signal);
      await ended;
    },
  };
}

function newestPrograms(): string | undefined {
  if (!existsSync(ROOT)) return undefined;
  return readdirSync(ROOT)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(ROOT, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')));
}

/** Whom to start the server as; undefined where this process is not root and may do so itself. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string, name: string): number =>
    Number(execFileSync('id', [option, name], { encoding: 'utf8', stdio: 'pipe' }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: id('-u', name), gid: id('-g', name) };
    } catch {
      // The next one.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody.');
}
