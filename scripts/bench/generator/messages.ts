import type { LoadOptions, LoadResult } from '../../run/run-load';

/** What the load generator is asked to do. */
export interface LoadTask extends LoadOptions {
  /** Key of LOADS. */
  readonly load: string;
}

/** What it answers. */
export type LoadReport = { readonly result: LoadResult } | { readonly error: string };
