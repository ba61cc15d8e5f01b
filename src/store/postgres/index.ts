export { openPostgres, type PostgresOptions } from './postgres-engine';
