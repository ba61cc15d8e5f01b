/** One header of a message: its name as written, and its value. */
export type Header = readonly [name: string, value: string];

export const NO_BODY = Buffer.alloc(0);

/** A request, byte for byte as the caller sent it. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as sent: `/Scheduals.asmx/GetExamTableByExamId?ExamId=1`. */
  readonly target: string;
  /** In message order; names may repeat. */
  readonly headers: readonly Header[];
  /** Without transfer encoding; empty if there is none. */
  readonly body: Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  /** In message order; names may repeat. */
  readonly headers: readonly Header[];
  /**
   * The body without transfer coding, and without content codings once it is decompressed. Empty if there is
   * none.
   */
  readonly body: Buffer;
}

interface WithHeaders {
  readonly headers: readonly Header[];
}

/** Returns the values of a header, in message order. @param wanted - its name in lower case */
export function findHeaders({ headers }: WithHeaders, wanted: string): readonly string[] {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
}

/** Returns the value of a header, the first one if it is repeated. @param wanted - its name in lower case */
export function findHeader({ headers }: WithHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Returns the elements of a header with a list of tokens, in lower case. */
export function parseTokens(value: string): readonly string[] {
  return value
    .split(',')
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '');
}

/** Converts raw headers from Node or undici, names and values alternating, to pairs. */
export function toPairs(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
  );
}
