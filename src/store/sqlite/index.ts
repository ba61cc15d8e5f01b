export { openSqlite, type SqliteOptions } from './sqlite-engine';
