/** A row that cannot be loaded, and with it its file. Holds no value of the row. */
export interface Problem {
  readonly file: string;
  /** The line on which the row begins; the header is line 1. */
  readonly line: number;
  /** Header of the column, or empty where it is about the row. */
  readonly column: string;
  readonly reason: string;
}

export interface FileReport {
  readonly file: string;
  /**
   * `loaded`: its rows are stored; `checked`: they could be (dry run); `refused`: it has bad rows and nothing
   * of it is stored; `skipped`: a file that it refers to was refused, or any file where all are to be the whole truth.
   */
  readonly outcome: 'loaded' | 'checked' | 'refused' | 'skipped';
  readonly newRows: number;
  readonly changedRows: number;
  readonly unchangedRows: number;
  readonly refusedRows: number;
}

export interface ImportReport {
  readonly files: readonly FileReport[];
  /** The first of them, in the order of the files and lines. */
  readonly problems: readonly Problem[];
  /** All of them, those in `problems` included: one for each bad row. */
  readonly problemCount: number;
  /** CSV files of the folder that are none of those an import reads. */
  readonly unknownFiles: readonly string[];
  /** Where the files are the whole truth, what the schools had beyond it, by file; files without any are left out. */
  readonly removals: readonly Removal[];
  /** Whether that was so much that nothing was written. */
  readonly removesTooMuch: boolean;
}

/** Rows of the schools that files name which the files do not have. */
export interface Removal {
  /** The one that lacks them; devices also go with their students. */
  readonly file: string;
  readonly rows: number;
  /** How many rows the schools had. */
  readonly of: number;
}

/** How far an import is with a file. */
export interface ImportProgress {
  readonly file: string;
  readonly step: 'reading' | 'checking' | 'writing';
  readonly bytesRead: number;
  readonly bytes: number;
  /** Good rows so far. */
  readonly rows: number;
}

/** Most problems that are told one by one. */
export const MOST_PROBLEMS = 20;

/** The problems of one file: all are counted, the first lines' are kept. */
export class ProblemList {
  readonly #kept: Problem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** By line. */
  get first(): readonly Problem[] {
    return this.#kept.toSorted((a, b) => a.line - b.line).slice(0, MOST_PROBLEMS);
  }

  /** Takes problems in the order of their lines; `count` where there are more than those given. */
  add(problems: readonly Problem[], count = problems.length): void {
    this.#count += count;
    this.#kept.push(...problems.slice(0, MOST_PROBLEMS));
    if (this.#kept.length > 2 * MOST_PROBLEMS) this.#kept.splice(0, Infinity, ...this.first);
  }
}
