/** Starts the work only when none is under way: whoever asks meanwhile gets the result of that. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () =>
    (pending ??= work().finally(() => {
      pending = undefined;
    }));
}
