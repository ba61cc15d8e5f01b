import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Starts no program until the mocks are restored: `start` gets the options of each instead, and returns the child. */
export function replaceSpawn(start: (options: object) => unknown): void {
  jest
    .spyOn(childProcess, 'spawn')
    .mockImplementation(((_file: string, _args: unknown, options: object) =>
      start(options)) as unknown as typeof childProcess.spawn); // One of its many forms.
}

/** A command that runs until `end` is called, and reports to the service that runs it. */
export interface HeldCommand extends EventEmitter {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly end: (code: number, out?: string) => void;
}

/** Stands for a command of the service. */
export function heldCommand(): HeldCommand {
  const command = Object.assign(new EventEmitter(), { stdout: new PassThrough(), stderr: new PassThrough() });
  const end = (code: number, out = ''): void => {
    command.stdout.end(out);
    command.stderr.end();
    command.emit('close', code);
  };
  return Object.assign(command, { end });
}

/** Stands for a command that ends at once. */
export function endedCommand(): HeldCommand {
  const command = heldCommand();
  void nextTurn().then(() => {
    command.end(0, 'done');
  });
  return command;
}
