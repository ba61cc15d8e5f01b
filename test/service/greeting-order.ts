/**
 * Starts a service in this process, and returns for each signal whether the service listened for it when it printed
 * "Press Ctrl-C to stop."
 */
export async function listensBeforeGreeting(
  start: () => Promise<unknown>,
): Promise<Readonly<Record<string, boolean>>> {
  const listens = jest.spyOn(process, 'on');
  await start();
  // The test's service has replaced it with a mock.
  const greeting = orderOf(console.error as jest.Mock, (text) =>
    String(text).endsWith('Press Ctrl-C to stop.'),
  );
  const listensTo = (signal: string): boolean => orderOf(listens, (event) => event === signal) < greeting;
  const found = { SIGINT: listensTo('SIGINT'), SIGTERM: listensTo('SIGTERM') };
  listens.mockRestore();
  return found;
}

/** Returns the place, among all calls of mocks, of the first call whose first argument matches; infinity without one. */
function orderOf({ mock }: Pick<jest.Mock, 'mock'>, matches: (argument: unknown) => boolean): number {
  const at = mock.calls.findIndex(([argument]: readonly unknown[]) => matches(argument));
  return mock.invocationCallOrder[at] ?? Infinity;
}
