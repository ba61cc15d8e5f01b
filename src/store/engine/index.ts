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
export { COLUMN_TYPES, type Database, type EngineName, type MessageTable } from './schema';
export { StoreError, type StoreTrouble } from './store-error';
export { takeLock } from './transaction-lock';
export { type OnWrite, watchWrite } from './watched-write';
