import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';

import { PACKAGE_ROOT, type ServiceOptions, ServiceProcess } from '../../scripts/harness';
import { OPERATIONS } from '../../src/operations';
import { openStore } from '../../src/store';
import type { Student } from './outcome';

const CSV_FOLDER = join(PACKAGE_ROOT, 'test', 'interop', 'school');
const SAMPLE_FOLDER = join(PACKAGE_ROOT, 'scripts', 'sample-school');

/** Makes a data folder with the sample school and the one of these tests, and returns its path. */
export async function loadSchools(workspace: string): Promise<string> {
  const folder = join(mkdtempSync(join(workspace, 'school-')), 'data');
  mkdirSync(folder);
  const store = await openStore({ url: `sqlite:${join(folder, 'service.db')}` });
  for (const files of [SAMPLE_FOLDER, CSV_FOLDER]) await store.importFolder(files);
  await store.close();
  return folder;
}

/** Where a run takes place. */
export interface Workplace {
  /** Folder for everything the run makes. */
  readonly folder: string;
  /** Data folder that every service gets a copy of. */
  readonly schools: string;
  /** Mode of the reverse proxy that calls pass through; undefined without a proxy. */
  readonly reverseProxy?: ProxyMode | undefined;
}

/**
 * Selects who answers behind a reverse proxy: the old server, the same with answers compared, or the one that is the
 * proxy.
 */
export type ProxyMode = 'old' | 'shadow' | 'new';

/** A service that is called. */
export interface CalledService {
  readonly process: Pick<ServiceProcess, 'ask' | 'line' | 'port'>;
  readonly dataFolder: string;
  /** Without a slash at its end. */
  readonly address: string;
}

/** A service with data of its own, as the program. */
export interface StartedService extends CalledService {
  readonly process: ServiceProcess;
}

/** Starts a service on a copy of the data, and ends it after the work. */
export async function withService<T>(
  workspace: string,
  loaded: string,
  settings: NonNullable<ServiceOptions['settings']>,
  work: (service: StartedService) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(workspace, 'service-'));
  mkdirSync(join(folder, 'data'));
  cpSync(loaded, join(folder, 'data'), { recursive: true });
  const service = new ServiceProcess(folder, { settings });
  try {
    await service.listening();
    return await work({
      process: service,
      dataFolder: join(folder, 'data'),
      address: `${'TLS_CERT_FILE' in settings ? 'https' : 'http'}://localhost:${String(service.port)}`,
    });
  } finally {
    await service.stop();
  }
}

/** An address without a server: operations in the mode `new` need no old server. */
const UNUSED_PORT_URL = 'http://127.0.0.1:9';

/**
 * Returns the same as the workplace sees it behind a reverse proxy: callers then have its address, and what they leave behind is
 * with the service that answers.
 *
 * @throws Error where the two that a proxy compares do not answer the same
 */
export async function withProxy<T>(
  { folder, schools, reverseProxy }: Workplace,
  settings: NonNullable<ServiceOptions['settings']>,
  work: (service: StartedService) => Promise<T>,
): Promise<T> {
  if (reverseProxy === undefined) return withService(folder, schools, settings, work);
  const proxySettings = { ...settings, CUTOVER_FILE: writeModes(folder, reverseProxy) };
  if (reverseProxy === 'new')
    return withService(folder, schools, { ...proxySettings, OLD_URL: UNUSED_PORT_URL }, work);
  return withService(folder, schools, settings, async (old) => {
    const proxies: ServiceProcess[] = [];
    const result = await withService(folder, schools, { ...proxySettings, OLD_URL: old.address }, (proxy) => {
      proxies.push(proxy.process);
      return work({ ...old, address: proxy.address });
    });
    const differing = proxies
      .flatMap(({ output }) => output.split('\n'))
      .find((line) => line.includes('our answer differs'));
    if (differing !== undefined) throw new Error(differing);
    return result;
  });
}

function writeModes(folder: string, mode: ProxyMode): string {
  const path = join(folder, `cut-over-${mode}.json`);
  const modes = Object.keys(OPERATIONS).map((name) => [
    name,
    mode === 'shadow' && (name === 'AuthCode' || name === 'SendMarkNotes') ? 'old' : mode,
  ]);
  writeFileSync(path, JSON.stringify(Object.fromEntries(modes)));
  return path;
}

type Row = Readonly<Record<string, string>>;

function rows(file: string, folder = CSV_FOLDER): readonly Row[] {
  return parse<Row>(readFileSync(join(folder, `${file}.csv`)), { columns: true });
}

const STUDENTS = rows('students');
const DEVICES = rows('devices');

/** Key of the school in the tests' own files; the only one there. */
export const SCHOOL = rows('schools')[0]?.['base_url'] ?? '';
export const CLASS = rows('classes')[0]?.['id_class'] ?? '';
export const EXAM = rows('exams')[0]?.['exam_id'] ?? '';
export const EXAM_ENTRIES = rows('exam_entries').length;
/** The note types are those of the sample school: the tests' own files have none. */
export const NOTE_TYPES = rows('note_types', SAMPLE_FOLDER).length;

/** The students of the school with a flag, as GetStudentSchool must list them. */
export function studentsWith(flag: string): readonly Student[] {
  return STUDENTS.filter(({ ShowActive }) => ShowActive === flag).map(
    ({ id_student: id = '', fullName = '' }) => {
      const device = DEVICES.find(({ id_student }) => id_student === id);
      return [id, fullName, device?.['id'] ?? '', flag];
    },
  );
}

/** Id and token of the first device whose row says so. */
export function deviceWhere(condition: (token: string) => boolean): {
  readonly id: string;
  readonly token: string;
} {
  const found = DEVICES.find(({ token = '' }) => condition(token));
  if (found === undefined) throw new Error('No such device in devices.csv');
  return { id: found['id'] ?? '', token: found['token'] ?? '' };
}
