interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const MAX_CAUSES = 5;

/**
 * Extracts from an error what explains it. Other properties are not logged: database drivers add row contents
 * and parameters, which are personal data.
 */
export function describeError(error: unknown, causesLeft = MAX_CAUSES): DescribedError {
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
