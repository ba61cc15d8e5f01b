/** One header as it stands in a message: its name as written, and its value. */
export type Header = readonly [name: string, value: string];

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

/** What a server answered, to the byte. */
export interface HttpAnswer {
  readonly status: number;
  /** In the order of the message; a name may come more than once. */
  readonly headers: readonly Header[];
  /** Without transfer encoding; empty where there is none. */
  readonly body: Buffer;
}
