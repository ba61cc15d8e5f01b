import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openStore } from '../../src/store';

export const SCHOOL = 'http://school.example';
export const CLASS = '1A';
/** Devices of the class: so many push messages come of one request. */
export const DEVICES = 4;
/** Every request is for a note of its own, so that none is a repetition. */
export const NOTES = 5000;

/** Loads one school with one class into an empty database. */
export async function loadCrashSchool(databaseUrl: string, folder: string): Promise<void> {
  const csv = join(folder, 'csv');
  mkdirSync(csv);
  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);
  const files: Readonly<Record<string, readonly string[]>> = {
    'schools.csv': ['base_url,name', `${SCHOOL},School`],
    'classes.csv': ['school_base_url,id_class,name', `${SCHOOL},${CLASS},Class`],
    'students.csv': [
      'school_base_url,id_student,fullName,ShowActive,id_class',
      ...numbers(DEVICES).map((at) => `${SCHOOL},S${String(at)},Student,Y,${CLASS}`),
    ],
    'devices.csv': [
      'id,school_base_url,id_student,token,platform,last_seen',
      ...numbers(DEVICES).map((at) => `D${String(at)},${SCHOOL},S${String(at)},token-${String(at)},android,`),
    ],
    'notes.csv': [
      'school_base_url,id,note_type,title,text',
      ...numbers(NOTES).map((at) => `${SCHOOL},N${String(at)},,Title,Text`),
    ],
  };
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(csv, name), `${lines.join('\n')}\n`);
  const store = await openStore({ url: databaseUrl });
  try {
    await store.importFolder(csv);
  } finally {
    await store.close();
  }
}
