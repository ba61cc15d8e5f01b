/** One header as it stands in a message: its name as written, and its value. */
export type Header = readonly [name: string, value: string];

/** The body of a message that has none. */
export const NO_BODY = Buffer.alloc(0);

/** A request as a caller sent it, to the byte. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as sent: `/Scheduals.asmx/GetExamTableByExamId?ExamId=1`. */
  readonly target: string;
  /** In the order of the message; a name may come more than once. */
  readonly headers: readonly Header[];
  /** Without transfer encoding; empty where there is none. */
  readonly body: Buffer;
}

/** What a server answered. */
export interface HttpAnswer {
  readonly status: number;
  /** In the order of the message; a name may come more than once. */
  readonly headers: readonly Header[];
  /** Without transfer encoding, and without content codings once it is inflated; empty where there is none. */
  readonly body: Buffer;
}
