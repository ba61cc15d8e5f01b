import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { type PostgresCluster, startPostgresCluster } from '../../../scripts/harness';
import { query } from '../../harness/postgres-databases';
import type { Disk } from './disk';

/** A primary and its standby. */
export interface Servers {
  primary: PostgresCluster;
  standby: PostgresCluster;
  /** Where each has its files, by port; the servers' places change, their disks do not. */
  readonly disks: ReadonlyMap<number, Disk>;
}

/** Describes what may happen to the servers. */
export interface FailoverEvent {
  readonly name: string;
  /** Takes a while by itself: calls count from its end. */
  readonly lasts?: true;
  /** Does it, and returns what restores a primary with a standby. */
  readonly act: (pair: Servers) => Promise<() => Promise<void>>;
  /** Why it cannot be tried here; undefined where it can. */
  readonly skipped?: (pair: Servers) => string | undefined;
}

const LOCK_SECONDS = 30;
const BEHIND_SECONDS = 2;
const FULL_SECONDS = 5;
const STORMS = 10;
const PAUSE_MS = 50;

export const EVENTS: readonly [FailoverEvent, ...FailoverEvent[]] = [
  {
    name: 'primary killed, standby promoted',
    act: async (pair) => {
      await pair.primary.end('SIGKILL');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  },
  {
    name: `primary killed ${String(BEHIND_SECONDS)} s after it lost the standby`,
    act: async (pair) => {
      await query(pair.standby.url, "alter system set primary_conninfo = ''");
      await query(pair.standby.url, 'select pg_reload_conf()');
      await delay(BEHIND_SECONDS * 1000);
      await pair.primary.end('SIGKILL');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  },
  {
    name: 'switch-over in order',
    act: async (pair) => {
      await pair.primary.end('SIGINT');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  },
  {
    name: 'former primary stays reachable, read-only',
    act: async (pair) => {
      await query(pair.primary.url, 'alter system set default_transaction_read_only = on');
      await query(pair.primary.url, 'select pg_reload_conf()');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  },
  {
    name: 'primary stops answering, standby promoted',
    act: async (pair) => {
      const processes = freeze(pair.primary.pid);
      await promote(pair.standby);
      return async () => {
        for (const pid of processes.slice(1)) process.kill(pid, 'SIGKILL');
        await pair.primary.end('SIGKILL');
        await changePlaces(pair);
      };
    },
  },
  {
    name: 'connections terminated ten times',
    act: async ({ primary }) => {
      for (let storm = 0; storm < STORMS; storm += 1) {
        await query(
          primary.url,
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'student-notification-service'",
        );
        await delay(PAUSE_MS);
      }
      return () => Promise.resolve();
    },
  },
  {
    name: `after a table lock of ${String(LOCK_SECONDS)} s`,
    lasts: true,
    act: async ({ primary }) => {
      await query(
        primary.url,
        `begin; lock table messages; select pg_sleep(${String(LOCK_SECONDS)}); commit`,
      );
      return () => Promise.resolve();
    },
  },
  {
    name: `after a full disk of the primary for ${String(FULL_SECONDS)} s`,
    lasts: true,
    skipped: ({ disks }) => (disks.size === 0 ? 'file systems cannot be mounted here' : undefined),
    act: async (pair) => {
      const disk = pair.disks.get(pair.primary.port);
      // The table has no room left in its own file.
      await query(pair.primary.url, 'vacuum full messages');
      // Nor does it get any that others give back.
      const end = performance.now() + FULL_SECONDS * 1000;
      while (performance.now() < end) {
        disk?.fill();
        await delay(PAUSE_MS);
      }
      disk?.free();
      // It ends itself when it cannot write its log.
      if (await answers(pair.primary)) return () => Promise.resolve();
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  },
];

/** Starts a server, or the standby of one, with its files on a disk. */
export async function startServer(
  disk: Disk | undefined,
  standby: { readonly standbyOf?: PostgresCluster; readonly port?: number } = {},
): Promise<PostgresCluster> {
  const cluster = await startPostgresCluster({
    ...standby,
    ...(disk !== undefined && { folder: disk.path }),
  });
  if (cluster === undefined) throw new Error('No PostgreSQL server is installed.');
  return cluster;
}

/** Acknowledges nothing that the standby does not have. */
export async function makeSynchronous({ url }: PostgresCluster): Promise<void> {
  await query(url, "alter system set synchronous_standby_names = '*'");
  await query(url, 'select pg_reload_conf()');
}

/** Makes the former primary the standby, with a new copy of the data. */
async function changePlaces(pair: Servers): Promise<void> {
  const { primary: former, standby: promoted } = pair;
  former.stop();
  pair.primary = promoted;
  pair.standby = await startServer(pair.disks.get(former.port), { standbyOf: promoted, port: former.port });
}

async function promote({ url }: PostgresCluster): Promise<void> {
  await query(url, 'alter system reset synchronous_standby_names');
  await query(url, 'alter system reset default_transaction_read_only');
  await query(url, 'select pg_reload_conf()');
  await query(url, 'select pg_promote()');
}

/** Stops a server and its children, which keep their connections; returns their ids. */
function freeze(pid: number): readonly number[] {
  process.kill(pid, 'SIGSTOP'); // It makes no more of them.
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  const ids = children.trim().split(' ').map(Number);
  for (const id of ids) process.kill(id, 'SIGSTOP');
  return [pid, ...ids];
}

async function answers({ url }: PostgresCluster): Promise<boolean> {
  return query(url, 'select 1').then(
    () => true,
    () => false,
  );
}
