import { createRequire } from 'node:module';

import { COMMANDS } from './commands';
import { runCommand } from './run-command';
import { didYouMean, shown } from '../support/text';
import { PROGRAM_NAME, readVersion } from '../support/program-name';

const NAME = 'school-notifications';
const START = 'start';

/** Runs the command named by the arguments of the process. */
export async function program(): Promise<void> {
  const [, , name, ...rest] = process.argv;
  if (name === undefined) {
    process.stdout.write(help());
    process.exitCode = 1;
  } else if (['help', '--help', '-h', '--version', '-V'].includes(name)) {
    const [first] = rest;
    if (first !== undefined) refuse(`${name} takes no arguments, but got ${shown(first)}.`);
    else process.stdout.write(name.endsWith('V') || name === '--version' ? `${readVersion()}\n` : help());
  } else if (name === START) start(rest);
  else await run(name);
}

async function run(name: string): Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    refuse(`Unknown command ${shown(name)}.${didYouMean(name, suggestions())}`);
    return;
  }
  // `| head` stops reading early: the command completes its work all the same, without output.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const make = await command.load();
  // The command sees its own arguments only.
  process.argv.splice(2, 1);
  await runCommand(
    (host) =>
      make(host)
        .name(`${NAME} ${name}`)
        .addHelpText('after', `\n${examples(command.examples.map((rest) => `${name} ${rest}`))}`),
    process,
  );
}

/** Starts the service, which takes no options, only settings. */
function start([option]: readonly string[]): void {
  // Not an asynchronous import: with PROCESSES, a process would get its first message before the import is done.
  if (option === undefined) {
    const { startService } = createRequire(__filename)('../service') as typeof import('../service');
    startService();
  } else if (option === '--help' || option === '-h') process.stdout.write(startHelp());
  else
    refuse(
      `${START} takes no arguments, but got ${shown(option)}. Use environment variables or a .env file.`,
    );
}

function startHelp(): string {
  return `Usage: ${NAME} ${START}

Starts the service. Settings are read from environment variables and the file .env; ${PROGRAM_NAME} check
shows them, and ${PROGRAM_NAME} reload reloads them while the service runs.

${examples([START])}  PORT=9000 PROCESSES=auto ${PROGRAM_NAME} ${START}
  SAMPLE_DATA=true DATABASE_URL=sqlite:sample.db ${PROGRAM_NAME} ${START}
`;
}

function refuse(message: string): void {
  process.stderr.write(`Error: ${message}\nFor a list of commands: ${PROGRAM_NAME} --help\n`);
  process.exitCode = 1;
}

/** Returns the commands to suggest for an unknown one: not `forget`, which deletes. */
function suggestions(): readonly string[] {
  return [START, ...Object.keys(COMMANDS)].filter((name) => name !== 'forget');
}

function help(): string {
  const about = [
    [START, 'start the service'],
    ...Object.entries(COMMANDS).map(([name, command]) => [name, command.about]),
  ];
  const lines = about.map(([name = '', text = '']) => `  ${name.padEnd(15)} ${text}`);
  return `Usage: ${NAME} COMMAND [OPTIONS]

${lines.join('\n')}

For the options of a command: ${PROGRAM_NAME} deliveries --help
Settings are read from environment variables and from the file .env in the current folder.

${examples(['check', 'import ./school', 'start', 'deliveries list --state failed --newer-than 1d'])}
Documentation: /docs on ADMIN_PORT while the service runs (default: http://127.0.0.1:8081/docs).
`;
}

function examples(calls: readonly string[]): string {
  return `Examples:\n${calls.map((call) => `  ${PROGRAM_NAME} ${call}`.trimEnd()).join('\n')}\n`;
}
