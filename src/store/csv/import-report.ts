import type { CsvColumn } from './csv-files';

/** Error in a file, which is therefore not loaded. */
export interface Problem {
  readonly file: string;
  /** Line on which the row begins; the header is line 1. */
  readonly line: number;
  /** In a workbook, the cell as formulas name it, such as `students!D17`. */
  readonly cell?: string;
  /** Header of the column, or empty for a problem of the whole row. */
  readonly column: string;
  /** Start of the cell; `(hidden)` for personal data, empty for a problem of the whole row. */
  readonly value: string;
  /** Describes what is wrong and what is expected; contains no value of the row. */
  readonly reason: string;
}

export interface FileReport {
  readonly file: string;
  /**
   * `loaded`: its rows are stored; `checked`: they could be (dry run, or too much would be removed);
   * `refused`: it has errors; `blocked`: a file that it refers to was refused, or any file was, when
   * replacing.
   */
  readonly outcome: 'loaded' | 'checked' | 'refused' | 'blocked';
  /** Number of rows with as many cells as the header. */
  readonly rows: number;
  readonly newRows: number;
  readonly changedRows: number;
  readonly unchangedRows: number;
  readonly errors: number;
}

export interface ImportReport {
  readonly files: readonly FileReport[];
  /** First problems, in the order of files and lines. */
  readonly problems: readonly Problem[];
  /** Total number of problems, including those in `problems`. */
  readonly problemCount: number;
  /** Files of the folder, and sheets, that are not loaded. */
  readonly leftOut: readonly LeftOut[];
  readonly summary: ImportSummary;
  /** Files that look wrong, for a person to confirm. */
  readonly questions: readonly ImportQuestion[];
  /** Rows that the schools have beyond the files, by file, when replacing; files without any are omitted. */
  readonly removals: readonly Removal[];
  /** True if nothing was written because too many rows would be removed. */
  readonly removesTooMuch: boolean;
}

/** A file or sheet that is not loaded. */
export interface LeftOut {
  /** Name of the file, or of a sheet as formulas name it. */
  readonly name: string;
  /** Why; see the texts of the report. */
  readonly reason: 'unknown' | 'format' | 'lock' | 'hidden' | 'no-table' | 'other';
  /** True if it may have been meant as data, which makes the import incomplete. */
  readonly isTable: boolean;
}

/** A file without errors that looks wrong. */
export interface ImportQuestion {
  /**
   * `missing`: a third of the stored rows or more is not in the file; `no-students`: classes without
   * students; `shared-token`: tokens that ten devices or more share; `no-letters`: names that are numbers;
   * `case`: ids or flags that differ only in case.
   */
  readonly kind: 'missing' | 'no-students' | 'shared-token' | 'no-letters' | 'case';
  readonly file: string;
  readonly rows: number;
  /** Number of all such rows; of shared tokens, the devices. */
  readonly of: number;
}

/** Counts of rows in the files, for a person to check. */
export interface ImportSummary {
  readonly values: readonly ValueCounts[];
  readonly unreferenced: readonly Unreferenced[];
}

/** Rows of a file by the value of a column, the most frequent first. */
export interface ValueCounts {
  readonly file: string;
  readonly header: string;
  readonly counts: readonly { readonly value: string; readonly rows: number }[];
  /** Number of rows with other values. */
  readonly others: number;
}

/** Rows of a file to which no row of another file refers, nor any row that stays in the database. */
export interface Unreferenced {
  readonly file: string;
  /** File that could refer to them. */
  readonly by: string;
  readonly rows: number;
  /** Number of rows in the file. */
  readonly of: number;
}

/** Counts what an undo of the last import does, or did. */
export interface UndoReport {
  /** When the import began to write, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** False if the import changed too many rows, or a person's data was erased since. */
  readonly isPossible: boolean;
  /** Numbers of rows by file; files without any are omitted. */
  readonly files: readonly {
    readonly file: string;
    /** Rows that were new. */
    readonly deletedRows: number;
    /** Rows that were changed. */
    readonly restoredRows: number;
    /** Rows that were deleted. */
    readonly returnedRows: number;
  }[];
}

/** Rows of the imported schools that are missing from the files. */
export interface Removal {
  /** File that lacks the rows; devices are also removed with their students. */
  readonly file: string;
  readonly rows: number;
  /** Number of rows that the schools had. */
  readonly of: number;
}

export interface ImportProgress {
  readonly file: string;
  readonly step: 'reading' | 'checking' | 'writing';
  readonly bytesRead: number;
  readonly bytes: number;
  /** Number of good rows so far. */
  readonly rows: number;
}

/** Maximum number of problems reported individually; the others are counted. */
export const MAX_PROBLEMS = 10_000;

/** Collects the problems of one file: counts all of them and keeps those on the first lines. */
export class ProblemList {
  readonly #kept: Problem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get first(): readonly Problem[] {
    return this.#kept.toSorted((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS);
  }

  /** Adds problems in line order; `count` if there are more than the given ones. */
  add(problems: readonly Problem[], count = problems.length): void {
    this.#count += count;
    this.#kept.push(...problems.slice(0, MAX_PROBLEMS));
    if (this.#kept.length > 2 * MAX_PROBLEMS) this.#kept.splice(0, Infinity, ...this.first);
  }
}

/** Maximum number of characters shown of a cell. */
export const SHOWN_CHARACTERS = 40;

/** Shown in the place of personal data. */
export const HIDDEN = '(hidden)';

/** Returns the start of a cell for the report, or a placeholder if its column holds personal data. */
export function shownValue({ isPersonal = false }: CsvColumn, cell: string): string {
  return isPersonal && cell !== '' ? HIDDEN : cell.slice(0, SHOWN_CHARACTERS);
}
