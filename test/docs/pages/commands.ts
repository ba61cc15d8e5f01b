import type { Argument, Command, Option } from 'commander';

import { listCommands } from '../../../src/cli/program';
import { GENERATED, wrap } from './markdown';

const INTRODUCTION = `\`school-notifications COMMAND --help\` prints the same. In a checkout, put \`npx\` before the name.
Commands use the service's [settings](settings.md).`;

/** The commands are looked at and not run; one that sets the exit code sets it here. */
const { argv, versions, env, stdin, stdout, stderr } = process;
const HOST = { argv, versions, env, stdin, stdout, stderr };

/** Returns the page on all commands. */
export async function commandsPage(): Promise<string> {
  const parts: string[] = [];
  for (const [name, { examples, load }] of Object.entries(await listCommands())) {
    const command = (await load())(HOST).name(`school-notifications ${name}`);
    const calls = examples.map((rest) => `school-notifications ${name} ${rest}`.trimEnd());
    parts.push(
      `## ${name}\n\n${descriptionOf(command)}\n\n\`\`\`text\n${calls.join('\n')}\n\`\`\`\n${inputsOf(command, [])}`,
    );
    parts.push(...commandsBelow(command, name));
  }
  return `# Commands\n\n${GENERATED}\n\n${INTRODUCTION}\n\n${parts.join('\n')}`;
}

/** Returns a part for each command below another. What an earlier one has explained of options is only named. */
function commandsBelow({ commands }: Command, name: string): readonly string[] {
  return commands
    .filter((each) => each.name() !== 'help')
    .map(
      (command, at) =>
        `### ${name} ${command.name()}\n\n${descriptionOf(command)}\n${inputsOf(command, commands.slice(0, at))}`,
    );
}

function descriptionOf(command: Command): string {
  const text = command.description();
  return wrap(`${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`);
}

/** Returns the arguments and options of a command as a list. */
function inputsOf({ registeredArguments, options }: Command, before: readonly Command[]): string {
  const explainedBy = (option: Option): string | undefined =>
    before
      .find((command) =>
        command.options.some(
          ({ flags, description }) => flags === option.flags && description === option.description,
        ),
      )
      ?.name();
  const items = [
    ...registeredArguments.map((argument) => `- \`${argument.name()}\`: ${textOf(argument)}`),
    ...options
      .filter((option) => !option.hidden && explainedBy(option) === undefined)
      .map((option) => `- \`${option.flags}\`: ${textOf(option)}`),
    ...[...new Set(options.flatMap((option) => explainedBy(option) ?? []))].map((other) => {
      const known = options.filter((option) => explainedBy(option) === other);
      return `- As for \`${other}\`: ${known.map(({ long }) => `\`${long ?? ''}\``).join(', ')}`;
    }),
  ];
  return items.length === 0 ? '' : `\n${items.map((item) => `${wrap(item, '  ')}\n`).join('')}`;
}

/** More choices than these are a list of their own elsewhere. */
const MAX_CHOICES = 10;

function textOf({ description, argChoices = [], defaultValue }: Argument | Option): string {
  const isListed = argChoices.length > 0 && argChoices.length <= MAX_CHOICES;
  const choices = isListed ? `: ${argChoices.map((each) => `\`${each}\``).join(', ')}` : '';
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return `${description}${choices}${isShown ? ` (default: ${String(defaultValue)})` : ''}`;
}
