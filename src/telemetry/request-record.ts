/** What log and metrics are told of one request, when it is answered. Holds no personal data. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  readonly endpoint: string | undefined;
  /** One of the contract's operations, or undefined: never a caller's text, since it becomes a metric label. */
  readonly operation: string | undefined;
  /** One of a fixed set, or undefined; a metric label too. */
  readonly binding: string | undefined;
  /** HTTP status; 0 when the caller went away before the answer. */
  readonly status: number;
  readonly outcome: 'ok' | 'client_error' | 'server_error';
  readonly durationMs: number;
  /** What the operation adds to the log line. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}
