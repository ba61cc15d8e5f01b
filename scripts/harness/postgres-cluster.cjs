// A PostgreSQL of the tests' (and the bench's) own: started once per run, on a free port of the loopback address,
// in a temporary folder, by a user who is not root (the server refuses root). Jest's workers inherit
// TEST_DATABASE_URL from the environment of the process that runs the global set-up.
const { execFileSync, spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { Client } = require('pg');

const DEBIAN_ROOT = '/usr/lib/postgresql';
const START_TIMEOUT_MS = 30_000;

/** Sets TEST_DATABASE_URL, unless somebody did or there is no server to start. Resolves to how to stop it. */
exports.startPostgres = async () => {
  if (process.env.TEST_DATABASE_URL) return () => {};
  // The tests end processes, never the machine.
  const cluster = await startCluster({ durable: false });
  if (cluster === undefined) {
    console.log('PostgreSQL was not tested: TEST_DATABASE_URL is not set and no server is installed.');
    return () => {};
  }
  process.env.TEST_DATABASE_URL = cluster.url;
  return cluster.stop;
};

/**
 * Starts a server with an empty database, `{ url, pid, stop }`, or nothing where none is installed. A durable one
 * waits for the disk as servers do; it is deleted in the end like the other.
 */
async function startCluster({ durable }) {
  const programs = newestPrograms();
  if (programs === undefined) return undefined;

  const folder = mkdtempSync(join(tmpdir(), 'test-postgres-'));
  const user = serverUser();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined) chownSync(passwordFile, user.uid, user.gid);

  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  const options = { ...user, cwd: folder, env, stdio: 'ignore' };
  await finished(spawn(join(programs, 'initdb'), [...initdb, '-E', 'UTF8', '--no-sync'], options));
  const port = await freePort();
  const server = spawn(
    join(programs, 'postgres'),
    [...serverArguments(data, folder, port, durable)],
    options,
  );

  const stop = () => {
    // Immediate shutdown: nothing in it is kept. The server ends its own children.
    if (server.exitCode === null) server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  process.once('exit', stop);
  // Without a handler these end the process before its 'exit'.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await answers(url, server);
  return { url, pid: server.pid, stop };
}
exports.startCluster = startCluster;

function newestPrograms() {
  if (!existsSync(DEBIAN_ROOT)) return undefined;
  const versions = readdirSync(DEBIAN_ROOT).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(DEBIAN_ROOT, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')));
}

function serverUser() {
  if (process.getuid() !== 0) return {};
  const id = (option, name) =>
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

function serverArguments(data, sockets, port, durable) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: sockets,
    max_connections: 200,
    ...(!durable && { fsync: 'off', full_page_writes: 'off' }),
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function finished(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`initdb ended with ${code}`))));
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function answers(url, server) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error;
    } finally {
      await client.end().catch(() => {});
    }
    await delay(50);
  }
}
