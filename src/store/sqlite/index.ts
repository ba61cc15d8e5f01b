export { aloneOnSqlite, type LoneSqlite } from './alone';
export { copyDatabase, type OnPages, type TableRows } from './copy-database';
export { onSqlite } from './on-sqlite';
export { openSqlite, type SqliteOptions } from './sqlite-engine';
