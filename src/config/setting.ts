import type { z } from 'zod';

import { OperatorError } from '../errors';

/** What values a setting takes: the text that says so, and the schema that reads one. */
export interface Kind<T> {
  /** Completes "Allowed: ...", and stands so in docs/settings.md. */
  readonly allowed: string;
  readonly schema: z.ZodType<T, string>;
}

/** One row of the table of settings. */
export interface Setting<T = unknown> {
  /** Used where the variable is absent or empty. */
  readonly default: string;
  readonly kind: Kind<T>;
  /** One sentence for the operator. */
  readonly description: string;
  /** The value is never repeated in an error text. */
  readonly secret?: boolean;
}

/** A setting that cannot be used as it stands; its message is one line for the operator. */
export class SettingError extends OperatorError {
  override readonly name = 'SettingError';
}
