/** Messages as a year leaves them, and databases that hold so many. */
export { type BenchDatabase, ENGINES, fillPostgres, fillSqlite } from './database';
export {
  CLASSES,
  messages,
  type MessageRow,
  REASONS,
  schoolUrl,
  studentId,
  timeOf,
  writeSchools,
  youngNumber,
} from './messages';
