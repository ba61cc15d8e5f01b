import type { OfferedCommand } from './run-command';
import { didYouMean, shown } from '../support/text';
import { PROGRAM_NAME, readVersion, SAMPLE_START } from '../support/program-name';

const NAME = 'school-notifications';
const START = 'start';

export async function program(): Promise<void> {
  const [, , name, ...rest] = process.argv;
  if (name === undefined) {
    process.stdout.write(await help());
    process.exitCode = 1;
  } else if (['help', '--help', '-h', '--version', '-V'].includes(name)) {
    const [first] = rest;
    if (first !== undefined) refuse(`${name} takes no arguments, but got ${shown(first)}.`);
    else if (name.endsWith('V') || name === '--version') process.stdout.write(`${readVersion()}\n`);
    else process.stdout.write(await help());
  } else if (name === START) await start(rest);
  else await run(name);
}

async function run(name: string): Promise<void> {
  const commands = await listCommands();
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    // Not `forget`, which deletes.
    const suggested = [START, ...Object.keys(commands)].filter((other) => other !== 'forget');
    refuse(`Unknown command ${shown(name)}.${didYouMean(name, suggested)}`);
    return;
  }
  // The service that runs the command has ended, in whatever way. Waiting for that does not keep the command
  // running.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  // `| head` stops reading early: the command completes its work all the same, without output.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const [make, runCommand] = await Promise.all([command.load(), loadRunner()]);
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
async function start([option]: readonly string[]): Promise<void> {
  if (option === undefined) {
    // In the bundle before any event: with PROCESSES, the first message must find who listens.
    const { startService } = await import('../service/index.js');
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
  ${SAMPLE_START}
`;
}

function refuse(message: string): void {
  process.stderr.write(`Error: ${message}\nFor a list of commands: ${PROGRAM_NAME} --help\n`);
  process.exitCode = 1;
}

async function help(): Promise<string> {
  const about = [
    [START, 'start the service'],
    ...Object.entries(await listCommands()).map(([name, command]) => [name, command.about]),
  ];
  const lines = about.map(([name = '', text = '']) => `  ${name.padEnd(15)} ${text}`);
  return `Usage: ${NAME} COMMAND [OPTIONS]

${lines.join('\n')}

For the options of a command: ${PROGRAM_NAME} deliveries --help
Settings are read from environment variables and from the file .env in the current folder.

${examples(['check', 'import ./school', 'start', 'deliveries list --state failed --newer-than 1d'])}
${await documentation()}`;
}

async function documentation(): Promise<string> {
  const { FEATURE_HELP } = await import('../features/feature.js');
  if (FEATURE_HELP === undefined) return '';
  return `Documentation: ${FEATURE_HELP} on ADMIN_PORT while the service runs (default: http://127.0.0.1:8081${FEATURE_HELP}).\n`;
}

function examples(calls: readonly string[]): string {
  return `Examples:\n${calls.map((call) => `  ${PROGRAM_NAME} ${call}`.trimEnd()).join('\n')}\n`;
}

const CORE_COMMANDS: Readonly<Record<string, OfferedCommand>> = {
  check: {
    about: 'check the settings, the database and the providers',
    examples: ['', '--push cXk3...'],
    load: async () => (await import('./check.js')).check,
  },
  health: {
    about: 'check whether the running service is ready',
    examples: [''],
    load: async () => (await import('./running-service.js')).health,
  },
  reload: {
    about: 'reload settings and files of the running service',
    examples: [''],
    load: async () => (await import('./running-service.js')).reload,
  },
  import: {
    about: 'load school data from CSV files or an Excel workbook',
    examples: ['./school --dry-run', './school', './school --replace'],
    load: async () => (await import('./import.js')).importData,
  },
  export: {
    about: 'write school data to CSV files',
    examples: ['./school'],
    load: async () => (await import('./import.js')).exportData,
  },
  deliveries: {
    about: 'list, show, retry or cancel messages',
    examples: [
      'list --state failed --newer-than 1d',
      'list --phone "0555 111 22 33"',
      'show 0190a5c2-6f9e-7c3a-9d55-3f2f3c8b1a20',
      'retry --state failed --channel push --newer-than 2h',
    ],
    load: async () => (await import('./deliveries.js')).deliveries,
  },
  gateways: {
    about: 'list the SMS gateways, send a test SMS, show balances',
    examples: ['', 'presets', 'test netgsm +905551112233', 'balance'],
    load: async () => (await import('./gateways.js')).gateways,
  },
  forget: {
    about: 'delete everything stored about a phone number, device or student',
    examples: [
      '--phone "0555 111 22 33" --dry-run',
      '--phone "0555 111 22 33"',
      '--student https://school.example S1',
    ],
    load: async () => (await import('./forget.js')).forget,
  },
  'access-secret': {
    about: 'create a key or a password hash for ACCESS_FILE',
    examples: ['--generate', '', '--key < key.txt'],
    load: async () => (await import('./secrets.js')).accessSecret,
  },
  'admin-user': {
    about: 'add or remove a console user (ADMIN_USERS_FILE)',
    examples: ['anna --role operator', 'ben', 'ben --remove'],
    load: async () => (await import('./secrets.js')).adminUser,
  },
};

/** Returns the commands of the terminal by their names. Only here are the features loaded. */
/** Loads what runs a command: help alone needs little. */
export async function loadRunner(): Promise<typeof import('./run-command').runCommand> {
  return (await import('./run-command.js')).runCommand;
}

export async function listCommands(): Promise<Readonly<Record<string, OfferedCommand>>> {
  const { FEATURE_COMMANDS } = await import('../features/feature.js');
  return { ...CORE_COMMANDS, ...FEATURE_COMMANDS };
}
