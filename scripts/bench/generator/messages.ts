/** What the load generator is asked to do. */
export interface LoadTask {
  /** Key of LOADS. */
  readonly load: string;
  readonly port: number;
  readonly seconds: number;
  /** The target has one answer for all requests: that to the load's case 0. */
  readonly fixed: boolean;
}

export interface LoadResult {
  readonly answers: number;
  readonly seconds: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
}

/** What it answers. */
export type LoadReport = { readonly result: LoadResult } | { readonly error: string };
