/** A complete HTTP answer, ready to be written. */
export interface HttpResponse {
  readonly status: number;
  /** Names and values, alternating, without Content-Length. */
  readonly headers: readonly string[];
  readonly body: string | Buffer;
  /**
   * Reason why the caller gets no result, for the log: words from the program and the contract only, never
   * the caller's.
   */
  readonly reason?: string;
  /** Releases the body's memory; called once the body is written, and never if it is not. */
  readonly release?: () => void;
}
