export { checkSchema, migrate } from './migrate';
