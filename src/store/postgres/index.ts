export { aloneOnPostgres, openPostgres, type PostgresOptions } from './postgres-engine';
