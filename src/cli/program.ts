import { createRequire } from 'node:module';

import { COMMANDS } from './commands';
import { runCommand } from './run-command';
import { nearestName, shown } from '../support/text';
import { PROGRAM_NAME, readVersion } from '../support/program-name';

const NAME = 'school-notifications';
const START = 'start';

/** Runs the command that the arguments of the process name. */
export async function program(): Promise<void> {
  const [, , name, ...rest] = process.argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(help());
    if (name === undefined) process.exitCode = 1;
  } else if (name === '--version' || name === '-V') process.stdout.write(`${readVersion()}\n`);
  else if (name === START) start(rest);
  else await run(name);
}

async function run(name: string): Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    refuse(`There is no command ${shown(name)}. Did you mean ${nearestName(name, names())}?`);
    return;
  }
  const make = await command.load();
  // To the command it is as if it had been called by itself.
  process.argv.splice(2, 1);
  await runCommand(
    (host) =>
      make(host)
        .name(`${NAME} ${name}`)
        .addHelpText('after', `\n${examples(command.examples.map((rest) => `${name} ${rest}`))}`),
    process,
  );
}

/** It takes no options: all that it goes by are settings. */
function start([option]: readonly string[]): void {
  // At once: under PROCESSES the first message to a process comes before an import would be done, and is lost then.
  if (option === undefined) {
    const { startService } = createRequire(__filename)('../service') as typeof import('../service');
    startService();
  } else if (option === '--help' || option === '-h') process.stdout.write(startHelp());
  else
    refuse(
      `${START} takes no ${shown(option)}: settings are environment variables, or lines of a file .env.`,
    );
}

function startHelp(): string {
  return `Usage: ${NAME} ${START}

Starts the service. It goes by settings, which are environment variables or lines of a file .env; ${PROGRAM_NAME} check
shows them. On SIGHUP it reads again what lies in files.

${examples([START])}  PORT=9000 PROCESSES=auto ${PROGRAM_NAME} ${START}
  SAMPLE_DATA=true DATABASE_URL=sqlite:sample.db ${PROGRAM_NAME} ${START}
`;
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n${PROGRAM_NAME} --help shows all commands.\n`);
  process.exitCode = 1;
}

function names(): readonly string[] {
  return [START, ...Object.keys(COMMANDS)];
}

function help(): string {
  const about = [
    [START, 'starts the service'],
    ...Object.entries(COMMANDS).map(([name, command]) => [name, command.about]),
  ];
  const lines = about.map(([name = '', text = '']) => `  ${name.padEnd(15)} ${text}`);
  return `Usage: ${NAME} COMMAND [OPTIONS]

${lines.join('\n')}

Each of them tells its options: ${PROGRAM_NAME} deliveries --help
Settings are environment variables, or lines of a file .env in the folder that it is called in.

${examples(['check', 'import ./school', 'start', 'deliveries list --state failed --newer-than 1d'])}
Documentation: /docs on ADMIN_PORT while the service runs (default: http://127.0.0.1:8081/docs).
`;
}

function examples(calls: readonly string[]): string {
  return `Examples:\n${calls.map((call) => `  ${PROGRAM_NAME} ${call}`.trimEnd()).join('\n')}\n`;
}
