import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Pool } from 'pg';

import type { OperationResult } from '../../../../src/asmx';
import { type AsmxServer, startAsmxServer } from '../../../harness/asmx-server';
import { createPostgresDatabase, dropPostgresDatabase } from '../../../harness/postgres-databases';
import { endpointsWith, type StringArguments } from '../../../harness/recording-endpoints';

/** The tables of a school's old program, as such programs name them. */
const TABLES = `
  create table okullar (adres text primary key, ad text not null);
  create table siniflar (okul text not null, kod text not null, ad text not null, primary key (okul, kod));
  create table ogrenciler (okul text not null, numara text not null, ad_soyad text not null, aktif text not null,
    sinif text, primary key (okul, numara));
  create table cihazlar (kod text primary key, okul text not null, ogrenci text not null, jeton text not null,
    platform text not null, son_gorulme timestamp);
  create table sinavlar (kod text primary key, ad text not null);
  create table dersler (sinav text not null, ders text not null, tarih date not null, saat time not null, sure int not null);
  create table not_turleri (kod text primary key, ad text not null);
  create table notlar (okul text not null, kod text not null, tur text, baslik text not null, metin text not null);`;

/** Holds what the nightly job writes: the files of an import, some under their old names. */
const NIGHTLY: Readonly<Record<string, string>> = {
  'schools.csv': 'select adres as base_url, ad as name from okullar',
  'classes.csv': 'select okul as school_base_url, kod as id_class, ad as name from siniflar',
  'Ogrenciler.csv':
    'select okul as school_base_url, numara as "No", ad_soyad as "fullName", aktif as "Aktif", sinif as id_class from ogrenciler',
  'devices.csv': `select kod as id, okul as school_base_url, ogrenci as id_student, jeton as token, platform, to_char(son_gorulme, 'DD.MM.YYYY HH24:MI') as last_seen from cihazlar`,
  'exams.csv': 'select kod as exam_id, ad as name from sinavlar',
  'exam_entries.csv': `select sinav as exam_id, ders as subject_name, to_char(tarih, 'DD.MM.YYYY') as exam_date, to_char(saat, 'FMHH24:MI') as start_time, sure as duration_minutes from dersler`,
  'note_types.csv': 'select kod as id, ad as name from not_turleri',
  'notes.csv':
    'select okul as school_base_url, kod as id, tur as note_type, baslik as title, metin as text from notlar',
};

/** The map that goes with those files. */
export const MAP = {
  'students.csv': {
    file: 'Ogrenciler.csv',
    columns: { id_student: 'No', ShowActive: 'Aktif' },
    values: { ShowActive: { Evet: 'Y', Hayır: 'N' } },
  },
};

/** Compares as the collation Turkish_CI_AS of SQL Server does. */
const same = (column: string, parameter: string): string =>
  `lower(${column} collate "tr-x-icu") = lower(${parameter} collate "tr-x-icu")`;

/** A school's old program: its database, its web service, and the messages that it sent itself. */
export class OldSystem {
  readonly #url: string;
  readonly #pool: Pool;
  #server: AsmxServer | undefined;
  /** Phones of codes, and notes with their classes, in the order in which they were sent. */
  readonly sent: string[] = [];

  private constructor(url: string) {
    this.#url = url;
    this.#pool = new Pool({ connectionString: url });
    // Its end does not wait for connections that are closing, and the database is dropped then.
    this.#pool.on('error', () => undefined);
  }

  /** @param data - statements that fill the tables */
  static async start(data: string): Promise<OldSystem> {
    const system = new OldSystem(await createPostgresDatabase());
    await system.query(TABLES + data);
    system.#server = await startAsmxServer({
      host: '127.0.0.1',
      charReading: 'strict',
      endpoints: endpointsWith((operation) => (args) => system.#answer(operation, args)),
    });
    return system;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  async query(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, string>[]> {
    const { rows } = await this.#pool.query<Record<string, string>>(
      text,
      values.length > 0 ? [...values] : undefined,
    );
    return rows;
  }

  /** The nightly job, with psql's \copy in the place of sqlcmd. */
  async exportTo(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    for (const [name, query] of Object.entries(NIGHTLY)) {
      const copy = `\\copy (${query}) to '${join(folder, name)}' csv header`;
      await promisify(execFile)('psql', [
        '--no-psqlrc',
        '--quiet',
        '-v',
        'ON_ERROR_STOP=1',
        '-c',
        copy,
        this.#url,
      ]);
    }
  }

  /** Switches the web service off; the database goes on. */
  async switchOff(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
  }

  async end(): Promise<void> {
    await this.switchOff();
    await this.#pool.end();
    await dropPostgresDatabase(this.#url);
  }

  async #answer(operation: string, args: StringArguments): Promise<OperationResult> {
    switch (operation) {
      case 'AuthCode':
        this.sent.push(args['phone'] ?? '');
        return undefined;
      case 'SendMarkNotes':
        this.sent.push(`${args['id'] ?? ''} ${args['id_class'] ?? ''}`);
        return undefined;
      case 'GetTokenDevice': {
        const rows = await this.query(`select jeton from cihazlar where ${same('kod', '$1')}`, [args['id']]);
        return rows[0]?.['jeton'] ?? '';
      }
      case 'GetStudentSchool': {
        const rows = await this.query(
          `select numara, ad_soyad, coalesce((select kod from cihazlar as c where c.okul = o.okul
             and ${same('c.ogrenci', 'o.numara')} order by son_gorulme desc nulls last, kod limit 1), '') as cihaz
           from ogrenciler as o where okul = $1 and aktif = $2 order by numara`,
          [args['school_base_url'], args['show_active'] === 'Y' ? 'Evet' : 'Hayır'],
        );
        return rows.map((row) => ({
          id_student: row['numara'] ?? '',
          fullName: row['ad_soyad'] ?? '',
          id_device: row['cihaz'] ?? '',
          ShowActive: args['show_active'] ?? '',
        }));
      }
      default: // Returns nothing over this contract; the access is logged.
        return undefined;
    }
  }
}

/** Writes the map, and returns its path. */
export function writeMap(folder: string): string {
  const path = join(folder, 'map.json');
  writeFileSync(path, JSON.stringify(MAP));
  return path;
}
