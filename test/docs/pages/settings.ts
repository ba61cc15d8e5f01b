import { SECRET_FILE_SETTINGS, type Setting, SETTING_SECTIONS, SETTINGS } from '../../../src/config';
import { GENERATED, wrap } from './markdown';

const INTRODUCTION = `Set these as environment variables or as lines of a file \`.env\` in the working directory
(copy \`.env.example\`). \`SETTINGS_FILE\` names another file instead.
Run \`school-notifications check\` to see which values are in effect, where each comes from, and what is invalid.

- An environment variable wins over the file.
- An empty value counts as not set. A setting without a default is empty.
- \`{NAME}\` in a value is replaced by the value of a setting higher up on this page.
- Quote a value (\`'\`, \`"\` or \`\` \` \`\`) that begins with a quote or contains \`#\`.
- An invalid value prevents the start: one line gives the setting, its line in \`.env\` and the allowed values.
- A secret may be in a file: set the name with \`_FILE\` to its path, such as \`DATABASE_URL_FILE\`.`;

const settings = Object.entries<Setting>(SETTINGS);

/** Returns the page on all settings. */
export function settingsPage(): string {
  const parts = settings.map(([name, setting]) => {
    const title = SETTING_SECTIONS[name];
    return `${title === undefined ? '' : `## ${title}\n\n`}${settingPart(name, setting)}`;
  });
  return `# Settings\n\n${GENERATED}\n\n${INTRODUCTION}\n\n${parts.join('\n')}`;
}

function settingPart(name: string, setting: Setting): string {
  const { default: usual, kind, description, reloads = false } = setting;
  const notes = [
    ...(SECRET_FILE_SETTINGS.includes(`${name}_FILE`)
      ? [`Secret: may be in a file (\`${name}_FILE\`).`]
      : []),
    ...(reloads ? ['Reloaded without a restart.'] : []),
  ];
  const facts = [
    ...(usual === '' ? [] : [`Default: \`${usual}\``]),
    `Allowed: ${kind.allowed}`,
    ...(notes.length === 0 ? [] : [notes.join(' ')]),
  ];
  return `### ${name}\n\n${wrap(description)}\n\n${facts.map((fact) => `${wrap(`- ${fact}`, '  ')}\n`).join('')}`;
}

/** Returns the example of a settings file: every setting with its default, commented out. */
export function settingsExample(): string {
  const entries = settings.map(([name, { default: usual, kind, description }]) => {
    const comment = `# ${description} Allowed: ${kind.allowed}.`.replaceAll('`', '');
    return `\n${comment}\n#${name}=${usual}\n`;
  });
  return `# Settings of the service. Copy this file to .env and change what differs; environment variables win over it.\n${entries.join('')}`;
}
