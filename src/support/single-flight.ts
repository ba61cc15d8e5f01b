/** Returns a function that starts the work unless it is in progress; concurrent calls share one result. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () =>
    (pending ??= work().finally(() => {
      pending = undefined;
    }));
}
