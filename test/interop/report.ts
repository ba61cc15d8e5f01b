export type Verdict = 'passed' | 'failed' | 'skipped';

/** One line of the run: what was tried, where it stands in the matrix, and how it ended. */
export interface Line {
  /** Row of the matrix. */
  readonly client: string;
  /** Column of the matrix. */
  readonly column: string;
  readonly what: string;
  readonly verdict: Verdict;
  /** Why it failed or was skipped. */
  readonly reason?: string | undefined;
}

/** Writes a line for each thing tried, and at the end how all of them stand. */
export class Report {
  readonly #lines: Line[] = [];
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(line: Line): void {
    this.#lines.push(line);
    this.#write(textOf(line));
  }

  /** Returns true if the run as a whole failed; where it is strict, also for what was skipped. */
  hasFailed(strict: boolean): boolean {
    return this.#count('failed') > 0 || (strict && this.#count('skipped') > 0) || this.#lines.length === 0;
  }

  /** A table with a row for each client, empty without any; a cell says how many of its lines passed. */
  matrix(columns: readonly string[], clients = this.#clientsOf(columns)): string {
    if (clients.length === 0) return '';
    const rows = clients.map((client) => [client, ...columns.map((column) => this.#cell(client, column))]);
    return table([['', ...columns], ...rows]);
  }

  /** Returns the report with a column for each client; `titles` are their heads, by name. */
  sideBySide(rows: readonly string[], titles: ReadonlyMap<string, string>): string {
    const clients = [...titles.keys()];
    const cells = rows.map((row) => [row, ...clients.map((client) => this.#cell(client, row))]);
    const tried = cells.filter((row) => row.slice(1).some((text) => text !== NOT_TRIED));
    return table([['', ...titles.values()], ...tried]);
  }

  /** A table with a row for each stack and one for all requests by hand; a cell says how many checks passed. */
  summary(
    columns: readonly string[],
    titles: ReadonlyMap<string, string>,
    byHand: readonly string[],
  ): string {
    const passed = (clients: readonly string[]): string =>
      cell(this.#lines.filter(({ client, column }) => clients.includes(client) && columns.includes(column)));
    const stacks = [...titles].map(([client, title]) => [title, passed([client])]);
    return table([['Client', 'Checks passed'], ...stacks, ['Requests written by hand', passed(byHand)]]);
  }

  #clientsOf(columns: readonly string[]): readonly string[] {
    const lines = this.#lines.filter(({ column }) => columns.includes(column));
    return [...new Set(lines.map(({ client }) => client))];
  }

  #cell(client: string, column: string): string {
    return cell(this.#lines.filter((line) => line.client === client && line.column === column));
  }

  /** The failed lines again, since thousands of passed ones may stand between, and how many there are of each kind. */
  totals(): string {
    const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((verdict) =>
      String(this.#count(verdict)),
    );
    const failures = this.#lines.filter(({ verdict }) => verdict === 'failed').map(textOf);
    return `${failures.join('')}${passed ?? ''} passed, ${failed ?? ''} failed, ${skipped ?? ''} skipped`;
  }

  #count(verdict: Verdict): number {
    return this.#lines.filter((line) => line.verdict === verdict).length;
  }
}

const NOT_TRIED = '-';

function textOf({ verdict, client, column, what, reason }: Line): string {
  // What a tool wrote has lines of its own.
  const why = reason === undefined ? '' : `: ${reason.replace(/\s*\n\s*/g, ' ')}`;
  return `${verdict.padEnd(7)}  ${client} | ${column} | ${what}${why}\n`;
}

function cell(lines: readonly Line[]): string {
  if (lines.length === 0) return NOT_TRIED;
  if (lines.every(({ verdict }) => verdict === 'skipped')) return 'skipped';
  const passed = lines.filter(({ verdict }) => verdict === 'passed').length;
  return `${String(passed)}/${String(lines.length)}`;
}

/** Returns a table in Markdown. */
export function table([head = [], ...body]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}|${head.map(() => '---|').join('')}\n${body.map(line).join('')}`;
}
