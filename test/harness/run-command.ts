import { spawn } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { childEnvironment, PROGRAM } from '../../scripts/harness';
import { listCommands } from '../../src/cli/program';
import { type Host, runCommand as run } from '../../src/cli/run-command';

/** Where a command is run, and what it is given. */
export interface Place {
  /** Its working directory, whose `.env` it reads. */
  readonly folder: string;
  /** Its environment; there is nothing else in it. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Holds what standard input has. */
  readonly input?: string;
  /** True if standard output is a terminal. */
  readonly isTerminal?: boolean;
  /** The version of Node.js that the command takes itself to run on; default: one that is supported. */
  readonly node?: string;
  /** Holds what signals are sent through. */
  readonly signals?: EventEmitter;
  /** Receives what the command reports to the service that runs it. */
  readonly onMessage?: (message: unknown) => void;
}

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Commands are run one at a time: a process has one working directory. */
let last: Promise<unknown> = Promise.resolve();

/** Runs an operator's command within this process. */
export function runCommand(
  name: string,
  args: readonly string[],
  { folder, settings = {}, input = '', signals, onMessage, isTerminal = false, node = '24.0.0' }: Place,
): Promise<CommandEnd> {
  const end = last.then(async () => {
    const before = process.cwd();
    const texts = { out: '', err: '' };
    const host: Host = {
      argv: [process.execPath, name, ...args],
      versions: { node },
      env: settings,
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      stdout: Object.assign(
        collector((part) => (texts.out += part)),
        { isTTY: isTerminal },
      ),
      stderr: collector((part) => (texts.err += part)),
      ...(signals && {
        once: (signal, listener) => signals.once(signal, listener),
        off: (signal, listener) => signals.off(signal, listener),
      }),
      // The channel between processes carries JSON.
      ...(onMessage && { send: (message) => onMessage(JSON.parse(JSON.stringify(message))) }),
    };
    process.chdir(folder);
    try {
      const command = (await listCommands())[name];
      if (command === undefined) throw new Error(`There is no command ${name}.`);
      await run(await command.load(), host);
    } finally {
      process.chdir(before);
    }
    return { code: Number(host.exitCode ?? 0), ...texts };
  });
  last = end.catch(() => undefined);
  return end;
}

/** Runs a command with the compiled program, as a process of its own, to show that it runs and ends. */
export async function runProgram(
  name: string,
  args: readonly string[],
  { folder, settings = {}, input = '' }: Place,
): Promise<CommandEnd> {
  const child = spawn(process.execPath, [PROGRAM, name, ...args], {
    cwd: folder,
    env: childEnvironment(settings),
  });
  child.stdin.end(input);
  const closed = new Promise<number>((resolve) => {
    child.once('close', (code) => {
      resolve(code ?? -1);
    });
  });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

function collector(take: (part: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (part: string, _encoding, done) => {
      take(part);
      done();
    },
  });
}
