import type { CsvFile } from './csv-files';
import type { Session } from '../engine/engine';
import { checkStaged } from './check-staged';
import { compareStaged } from './compare-staged';
import type { FileReport, ImportProgress } from './import-report';
import { mergeChanges } from './merge-changes';
import type { ProblemList } from './problem-list';
import { stageFile } from './stage-file';
import { createStagingTable, indexStagingTable } from './staging-tables';

export interface ImportOptions {
  /** Checks only, and writes nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
}

const NOTHING = { newRows: 0, changedRows: 0, unchangedRows: 0, refusedRows: 0 };

/** Loads one file after the other on one session, which keeps what was staged: later files refer to it. */
export class FileImport {
  readonly #session: Session;
  readonly #dryRun: boolean;
  readonly #onProgress: (progress: ImportProgress) => void;
  readonly #staged: CsvFile[] = [];

  constructor(session: Session, { dryRun = false, onProgress = () => undefined }: ImportOptions) {
    this.#session = session;
    this.#dryRun = dryRun;
    this.#onProgress = onProgress;
  }

  /** Stages a file, checks it, and writes what is new or changed, unless there are problems. */
  async run(file: CsvFile, path: string, problems: ProblemList): Promise<FileReport> {
    const { kysely } = this.#session;
    await createStagingTable(this.#session, file);
    let last: ImportProgress | undefined;
    const rows = await stageFile(this.#session, file, path, problems, (progress) => {
      last = progress;
      this.#onProgress(progress);
    });
    const tell = (step: ImportProgress['step']): void => {
      if (last !== undefined) this.#onProgress({ ...last, step });
    };

    tell('checking');
    await indexStagingTable(kysely, file);
    await checkStaged(kysely, file, this.#staged, problems);
    this.#staged.push(file);
    if (problems.count > 0) {
      return { ...NOTHING, file: file.file, outcome: 'refused', refusedRows: problems.count };
    }

    const { newRows, changedRows } = await compareStaged(kysely, file);
    if (!this.#dryRun && newRows + changedRows > 0) {
      tell('writing');
      await mergeChanges(this.#session, file, Date.now());
    }
    const outcome = this.#dryRun ? 'checked' : 'loaded';
    const unchangedRows = rows - newRows - changedRows;
    return { file: file.file, outcome, newRows, changedRows, unchangedRows, refusedRows: 0 };
  }

  /** Leaves out a file that refers to one that was not loaded. */
  skip(file: CsvFile): FileReport {
    return { ...NOTHING, file: file.file, outcome: 'skipped' };
  }
}
