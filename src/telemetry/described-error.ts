/** An error as it stands in the log. */
export interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const MOST_CAUSES = 5;

/**
 * Picks from an error what explains it. Other properties stay out of the log: database drivers hang row
 * contents and parameters on theirs, and those are personal data.
 */
export function describeError(error: unknown, causesLeft = MOST_CAUSES): DescribedError {
  // Not instanceof: an error may come from another realm (worker, vm).
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error) };

  const { name, message, code, stack, cause } = error as Partial<Record<keyof Error | 'code', unknown>>;
  return {
    type: typeof name === 'string' ? name : 'object',
    message: typeof message === 'string' ? message : '',
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof stack === 'string' && { stack }),
    ...(cause !== undefined && causesLeft > 0 && { cause: describeError(cause, causesLeft - 1) }),
  };
}
