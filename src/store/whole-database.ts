/** Exports what a feature needs that copies or replaces a whole database. */
export { type DatabaseSession } from './engine/engine';
export type { SqlValue } from './engine/hot-statement';
export type { Database } from './engine/schema';
export { KeepingError } from './keeping/keeping-error';
export { readMark, removeMark, setMark } from './keeping/marks';
export { refuseMoved } from './keeping/open-checks';
export {
  countRows,
  OF_DATABASE,
  rowsIn,
  type SchemaTable,
  schemaTables,
  type TableRows,
} from './keeping/tables';
export { checkSchema, migrate, refuseNewerSchema, schemaState } from './migrations/migrate';
export { databasePlace, located } from './open-engine';
export { aloneOnPostgres } from './postgres/postgres-engine';
export { copyDatabase, type OnPages } from './sqlite/copy-database';
export { closeFiles } from './sqlite/library';
export { aloneOnSqlite, type LoneSqlite, onSqlite } from './sqlite/sqlite-session';
