/** Messages as a year leaves them, and databases that hold so many. */
export { ENGINES, fillPostgres, fillSqlite } from './database';
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
export { type FilledDatabase, onEngines } from './on-engines';
