/** Marks an SMS whose gateway will report what became of it. */
export const AWAITED = 'waiting';

/** Final report of a gateway about an SMS that it accepted. */
export type ReceiptState = 'delivered' | 'undelivered';

/** Receipt filters; `none` is for an SMS whose gateway has not reported yet. */
export const RECEIPT_CHOICES = ['delivered', 'undelivered', 'none'] as const;
export type ReceiptChoice = (typeof RECEIPT_CHOICES)[number];
