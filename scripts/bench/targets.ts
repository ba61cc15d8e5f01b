import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { PROGRAM } from '../harness';
import type { Load, SchoolDatabases } from '../harness/load';
import { CALLERS, writeAccessFile } from './access';
import { buildSoapCore } from './soapcore';

/** Describes what goes into the start of a target. */
export interface Surroundings extends Pick<SchoolDatabases, 'folder' | 'sqlite' | 'postgres' | 'ended'> {
  /** The answer of our protocol to the load's first request. */
  readonly answer: { readonly file: string; readonly type: string };
}

export interface Target {
  readonly title: string;
  readonly program: string;
  /** Has one answer for all requests. */
  readonly fixed: boolean;
  readonly takes: (load: Load) => boolean;
  /** How many processes it has, and how many of them are asked at a time, each over the load's connections. */
  readonly processes: number;
  readonly busy: number;
  /** How long it is called before its first sample, beside the calls that all get: a JIT compiles in steps. */
  readonly warmUpSeconds: number;
  /** A line for the head of each request, or undefined. */
  readonly header: string | undefined;
  /** True if PostgreSQL works for it meanwhile. */
  readonly onPostgres: boolean;
  /** Holds what runs beside it and is not measured: the old server that it stands in front of. */
  readonly behind: string | undefined;
  /**
   * The environment of its process, or undefined where it cannot run here.
   *
   * @param behindPort of what runs beside it, 0 where nothing does
   */
  readonly environment: (
    given: Surroundings,
    behindPort: number,
  ) => Readonly<Record<string, string>> | undefined;
}

/** Returns true if all of these programs are installed; says otherwise that what they build is left out. */
function canBuild(title: string, ...programs: readonly string[]): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = programs.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (missing.length > 0) console.error(`Without ${title}, which needs ${missing.join(', ')}.`);
  return missing.length === 0;
}

/** A built checkout of another commit. */
const { EARLIER } = process.env;

const own = (name: string): string => join(__dirname, 'targets', `${name}.js`);
/** Delivery is measured elsewhere: what it costs depends on the provider. */
const SERVICE_SETTINGS = { ADMIN_PORT: '0', ROLE: 'web' };
const USUAL = {
  fixed: false,
  takes: ({ servers }: Load): boolean => servers !== 'protocol',
  processes: 1,
  busy: 1,
  warmUpSeconds: 0,
  header: undefined,
  onPostgres: false,
  behind: undefined,
};

/** The service on a database, with the settings that lead to it; undefined where there is none. */
function onDatabase(
  title: string,
  find: (given: Surroundings) => Readonly<Record<string, string>> | undefined,
  onPostgres = false,
): Target {
  return {
    ...USUAL,
    title: `ours, whole, ${title}`,
    program: PROGRAM,
    onPostgres,
    environment: (given) => {
      const settings = find(given);
      return settings && { ...SERVICE_SETTINGS, ...settings };
    },
  };
}

function withAccess(by: keyof typeof CALLERS, how: string): Target {
  return {
    ...USUAL,
    title: `ours, whole, SQLite, ${how}`,
    program: PROGRAM,
    header: CALLERS[by].header,
    environment: ({ sqlite, folder }) => ({
      ...SERVICE_SETTINGS,
      ...sqlite,
      ACCESS_FILE: writeAccessFile(folder, by),
    }),
  };
}

/** The service in front of an old server that answers at once; with the mode of every read. */
function withOldServer(mode: 'old' | 'shadow', how: string): Target {
  return {
    ...USUAL,
    title: `ours, in front of \`protocol only\`, ${how}`,
    program: PROGRAM,
    behind: own('protocol'),
    // What a request is for makes no difference; how long its answer is does.
    takes: ({ title, records }) => title === 'token, SOAP 1.1' || records === 30,
    environment: ({ sqlite, folder }, behindPort) => ({
      ...SERVICE_SETTINGS,
      ...sqlite,
      // Each has its own: what was compared is kept there.
      DATA_DIR: join(folder, mode),
      OLD_URL: `http://127.0.0.1:${String(behindPort)}`,
      CUTOVER_FILE: writeCutOverFile(folder, mode),
    }),
  };
}

function writeCutOverFile(folder: string, mode: 'old' | 'shadow'): string {
  const path = join(folder, `cut-over-${mode}.json`);
  writeFileSync(path, JSON.stringify({ GetTokenDevice: mode, GetStudentSchool: mode }));
  return path;
}

/** Holds what is measured, the measure of all first. */
export const TARGETS = {
  bare: {
    ...USUAL,
    title: 'bare `node:http`, fixed bytes',
    program: own('bare-http'),
    fixed: true,
    takes: () => true,
    environment: ({ answer: { file, type } }) => ({ ANSWER_FILE: file, ANSWER_TYPE: type }),
  },
  stock: {
    ...USUAL,
    title: 'node-soap’s `listen` on Express',
    program: own('stock-soap'),
    takes: ({ servers }) => servers === 'all',
    environment: () => ({}),
  },
  gsoap: {
    ...USUAL,
    title: 'gSOAP (C++), no store',
    program: own('gsoap'),
    takes: ({ servers, records, title }) =>
      servers === 'all' && (records !== undefined || title.startsWith('token')),
    environment: () => (canBuild('gSOAP', 'wsdl2h', 'soapcpp2', 'g++') ? {} : undefined),
  },
  soapcore: {
    ...USUAL,
    title: 'SoapCore (.NET, Kestrel), no store',
    program: own('soapcore'),
    takes: ({ servers, records, title }) =>
      servers === 'all' && (records !== undefined || title === 'token, SOAP 1.1'),
    warmUpSeconds: 20,
    environment: () => (canBuild('SoapCore', 'dotnet') ? buildSoapCore() : undefined),
  },
  protocol: {
    ...USUAL,
    title: 'ours, protocol only',
    program: own('protocol'),
    takes: () => true,
    environment: () => ({}),
  },
  earlier: {
    ...USUAL,
    title: 'ours, protocol only, of `EARLIER`',
    program: join(EARLIER ?? '', 'build', 'scripts', 'bench', 'targets', 'protocol.js'),
    takes: () => true,
    environment: () => (EARLIER === undefined ? undefined : {}),
  },
  sqlite: onDatabase('SQLite', ({ sqlite }) => sqlite),
  'access-network': withAccess('network', '`ACCESS_FILE` by network'),
  'access-key': withAccess('key', '`ACCESS_FILE` by key'),
  'access-basic': withAccess('basic', '`ACCESS_FILE` by Basic'),
  // As with a core for each process: two that are busy on one core displace each other's caches.
  'one-of-two': {
    ...USUAL,
    title: 'ours, whole, SQLite, `PROCESSES=2`, one busy',
    program: PROGRAM,
    processes: 2,
    environment: ({ sqlite }) => ({ ...SERVICE_SETTINGS, ...sqlite, PROCESSES: '2' }),
  },
  'two-of-two': {
    ...USUAL,
    title: 'ours, whole, SQLite, `PROCESSES=2`, both busy',
    program: PROGRAM,
    processes: 2,
    busy: 2,
    environment: ({ sqlite }) => ({ ...SERVICE_SETTINGS, ...sqlite, PROCESSES: '2' }),
  },
  forwarded: withOldServer('old', 'passing on'),
  shadow: withOldServer('shadow', 'comparing'),
  postgres: onDatabase('PostgreSQL', ({ postgres }) => postgres, true),
  'sqlite-ended': onDatabase('SQLite, `--ended`', ({ ended }) => ended?.sqlite),
  'postgres-ended': onDatabase('PostgreSQL, `--ended`', ({ ended }) => ended?.postgres, true),
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;
