/** Asks only when no answer is awaited: who asks meanwhile gets that one. */
export function sharedQuestion<T>(ask: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () =>
    (pending ??= ask().finally(() => {
      pending = undefined;
    }));
}
