/** Global tear-down of the projects that have a PostgreSQL. */
export { removePostgresTemplates as default } from '../database-templates';
