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
  /** The body without transfer coding, and without content codings once it is inflated. Empty if there is none. */
  readonly body: Buffer;
}

interface WithHeaders {
  readonly headers: readonly Header[];
}

/**
 * The values of a header, in the order of the message.
 *
 * @param wanted - its name in lower case
 */
export function headersOf({ headers }: WithHeaders, wanted: string): readonly string[] {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
}

/**
 * The value of a header, the first where it comes more than once.
 *
 * @param wanted - its name in lower case
 */
export function headerOf({ headers }: WithHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** The elements of a header that holds a list of tokens, in lower case. */
export function tokensOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '');
}

/** Headers as Node and undici give them, names and values in turn, as pairs. */
export function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
  );
}
