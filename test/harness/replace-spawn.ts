import childProcess from 'node:child_process';

/** Starts no program until the mocks are restored: `start` gets the options of each instead, and returns the child. */
export function replaceSpawn(start: (options: object) => unknown): void {
  jest
    .spyOn(childProcess, 'spawn')
    .mockImplementation(((_file: string, _args: unknown, options: object) =>
      start(options)) as unknown as typeof childProcess.spawn); // One of its many forms.
}
