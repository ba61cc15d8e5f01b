/** Rows of one statement: SQLite takes 32,766 values, and a row has fewer than ten. */
const MOST_ROWS = 1000;

/** Rows by as many as one statement takes. */
export function chunked<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / MOST_ROWS) }, (_, index) =>
    rows.slice(index * MOST_ROWS, (index + 1) * MOST_ROWS),
  );
}
