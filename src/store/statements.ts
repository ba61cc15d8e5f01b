/** Exports what a feature needs for statements of its own. */
export { type Connection, Repository } from './engine/engine';
export { hotRead, type HotStatement, hotWrite, type Param } from './engine/hot-statement';
export type { Database } from './engine/schema';
export { OF_TELEPHONES } from './outbox/channels';
export { firstMessageId, newMessageId } from './outbox/messages';
export { AWAITED, type ReceiptState } from './outbox/receipt-states';
