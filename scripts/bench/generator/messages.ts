import type { LoadOptions, LoadResult } from '../../harness/load';

/** What the load generator is asked to do. */
export interface LoadTask extends LoadOptions {
  /** Key of LOADS. */
  readonly load: string;
}

/** What it is sent when the server's processor time so far is noted. */
export const GO = 'go';

/** What it answers: first that its connections are ready, and after {@link GO} how it went. */
export type LoadReport =
  { readonly ready: true } | { readonly result: LoadResult } | { readonly error: string };
