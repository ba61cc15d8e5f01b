import type { Kind } from './kinds';

/** One row of the table of settings. */
export interface Setting<T = unknown> {
  /** Used where the variable is absent or empty. */
  readonly default: string;
  readonly kind: Kind<T>;
  /** One sentence for the operator. */
  readonly description: string;
  /** The value is never repeated in an error text. */
  readonly secret?: boolean;
  /** Of a secret: what may be shown of a value; undefined is nothing. */
  readonly shown?: (text: string) => string | undefined;
  /** It names a file that holds a secret. */
  readonly holdsSecret?: boolean;
  /** Its value counts anew while the service runs; of a setting that names a file, what the file holds. */
  readonly reloads?: boolean;
}
