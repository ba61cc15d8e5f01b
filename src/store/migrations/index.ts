export { checkSchema, migrate, refuseNewerSchema, type SchemaState, schemaState } from './migrate';
