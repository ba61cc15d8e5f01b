/**
 * What telephone apps read from the two reads that the contract gives no result: an ASMX method can write its
 * answer into the HTTP response itself, and this is what services of this family write. HTTP stays 200.
 */
export class ReadDocument {
  constructor(
    /** 200 when found; an app shows another status as an error, with its message. */
    readonly status: 200 | 404,
    readonly message: string,
    /** Every field is a text that is never null. */
    readonly data: readonly Readonly<Record<string, string>>[],
  ) {}
}
