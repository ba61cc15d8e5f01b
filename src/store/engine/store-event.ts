/** Something worth a line in the log; holds no personal data. */
export interface StoreEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type OnStoreEvent = (event: StoreEvent) => void;
