#!/usr/bin/env node
import { COMMANDS, runCommand } from './commands';
import { nearestName, shown } from './text';
import { readVersion } from './version';

/** The installed program: what `npm start` and the `npm run` commands do, under one name. */
const NAME = 'school-notifications';
const START = 'start';

async function main(): Promise<void> {
  const [, , name, ...rest] = process.argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(help());
    if (name === undefined) process.exitCode = 1;
  } else if (name === '--version' || name === '-V') process.stdout.write(`${readVersion()}\n`);
  else if (name === START) await start(rest);
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
  await runCommand((host) => make(host).name(`${NAME} ${name}`), process);
}

/** It takes no options: all that it goes by are settings. */
async function start([option]: readonly string[]): Promise<void> {
  if (option === undefined) await import('./main.js');
  else if (option === '--help' || option === '-h') process.stdout.write(START_HELP);
  else
    refuse(
      `${START} takes no ${shown(option)}: settings are environment variables, or lines of a file .env.`,
    );
}

const START_HELP = `Usage: ${NAME} ${START}

Starts the service. It goes by settings, which are environment variables or lines of a file .env; ${NAME} check
shows them.
`;

function refuse(message: string): void {
  process.stderr.write(`${message}\n${NAME} --help shows all commands.\n`);
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

Each of them tells its options: ${NAME} deliveries --help
Settings are environment variables, or lines of a file .env in the folder that it is called in.

Examples:
  ${NAME} check
  ${NAME} import ./school
  ${NAME} start
  ${NAME} deliveries list --state failed --newer-than 1d
`;
}

void main();
