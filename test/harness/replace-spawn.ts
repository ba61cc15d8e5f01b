import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { runCommand } from './run-command';

/** Starts no program until the mocks are restored: `start` gets the options and arguments of each, and returns the child. */
export function replaceSpawn(start: (options: object, args: readonly string[]) => unknown): void {
  jest
    .spyOn(childProcess, 'spawn')
    .mockImplementation(((_file: string, args: readonly string[], options: object) =>
      start(options, args)) as unknown as typeof childProcess.spawn); // One of its many forms.
}

/** Runs the commands of a service within this process, in a folder, until the mocks are restored. */
export function runCommandsHere(folder: string): void {
  replaceSpawn((options, args) => {
    const { env } = options as { readonly env: Readonly<Record<string, string>> }; // As the service starts it.
    const [name = '', ...rest] = args.slice(2); // Behind the limit of its memory, and the program.
    const command = heldCommand();
    void runCommand(name, rest, { folder, settings: env }).then(({ code, out, err }) => {
      command.end(code, out, err);
    });
    return command;
  });
}

/** A command that runs until `end` is called, and reports to the service that runs it. */
export interface HeldCommand extends EventEmitter {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly end: (code: number, out?: string, errors?: string) => void;
}

/** Stands for a command of the service. */
export function heldCommand(): HeldCommand {
  const command = Object.assign(new EventEmitter(), { stdout: new PassThrough(), stderr: new PassThrough() });
  const end = (code: number, out = '', errors = ''): void => {
    command.stdout.end(out);
    command.stderr.end(errors);
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
