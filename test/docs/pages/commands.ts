import type { Command } from 'commander';

import { COMMANDS } from '../../../src/cli/commands';
import { GENERATED } from './markdown';

const WIDTH = 100;

const INTRODUCTION = `\`school-notifications COMMAND --help\` prints the same. In a checkout, put \`npx\` before the
name. Commands use the service's [settings](settings.md).`;

/** Returns the page on all commands, with the help that each of them prints. */
export async function commandsPage(): Promise<string> {
  const parts: string[] = [];
  for (const [name, { about, examples, load }] of Object.entries(COMMANDS)) {
    const command = (await load())(process).name(`school-notifications ${name}`);
    const calls = examples.map((rest) => `school-notifications ${name} ${rest}`.trimEnd());
    parts.push(
      `## ${name}\n\n${sentence(about)}\n\n${text(calls.join('\n'))}\n${helpOf(command).join('\n')}`,
    );
  }
  return `# Commands\n\n${GENERATED}\n\n${INTRODUCTION}\n\n${parts.join('\n')}`;
}

/** Returns the help of a command and of its own commands, each as a block. */
function helpOf(command: Command): readonly string[] {
  const help = command.configureHelp({ helpWidth: WIDTH }).helpInformation();
  const below = command.commands.filter((each) => each.name() !== 'help');
  return [text(help.trimEnd()), ...below.flatMap(helpOf)];
}

function text(lines: string): string {
  return `\`\`\`text\n${lines}\n\`\`\`\n`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
