export { COLUMN_TYPES } from './column-types';
export type { Connection, Engine, OnStoreEvent, Session, StoreEvent, TypedColumn } from './engine';
export {
  type AnyStatement,
  type CompiledStatement,
  compileGathered,
  compileStatement,
  type GatheredStatement,
  type HotStatement,
  type Param,
  type SqlValue,
} from './hot-statement';
export type { Database, EngineName, MessageTable } from './schema';
export { StoreError, type StoreTrouble } from './store-error';
export { takeLock } from './transaction-lock';
export { type OnWrite, watchWrite } from './watched-write';
