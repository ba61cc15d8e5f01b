/**
 * What log and metrics are told of one request, when it is answered. Holds no personal data. Its names come from
 * the service's own fixed sets, never from a caller: they become metric labels, and stand in JSON as they are.
 */
export interface RequestRecord {
  /** Letters, digits and hyphens. */
  readonly requestId: string;
  /** As a caller wrote it. */
  readonly method: string;
  readonly endpoint: string | undefined;
  /** One of the contract's operations, or undefined. */
  readonly operation: string | undefined;
  readonly binding: string | undefined;
  /** HTTP status; 0 when the caller went away before the answer. */
  readonly status: number;
  readonly outcome: 'ok' | 'client_error' | 'server_error';
  readonly durationMs: number;
  /** What the operation adds to the log line. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}
