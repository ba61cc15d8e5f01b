import { SECRET_FILE_SETTINGS, type Setting, type SettingName, SETTINGS } from '../../../src/config';
import { GENERATED, wrap } from './markdown';

/** The sections of the page, each by the setting that it begins with. */
const SECTIONS: Readonly<Partial<Record<SettingName, string>>> = {
  PORT: 'Addresses and pages',
  TLS_CERT_FILE: 'TLS',
  PROCESSES: 'Processes and log',
  DATA_DIR: 'Data',
  DEFAULT_COUNTRY: 'Operations',
  MAX_BODY_BYTES: 'Limits on a request',
  HEADERS_TIMEOUT_SECONDS: 'Time limits',
  OUTBOUND_PROXY: 'Outbound proxy',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'Traces',
  OLD_URL: 'Migration',
  ROLE: 'SMS',
  PUSH_CHANNEL: 'Push messages',
  PROVIDER_TIMEOUT_SECONDS: 'Worker',
  DELIVERY_FILE: 'Texts and hours',
  REPEAT_WINDOW: 'Limits on sending',
};

const INTRODUCTION = `Set these as environment variables or as lines of a file \`.env\` in the working directory
(copy \`.env.example\`). \`SETTINGS_FILE\` names another file instead.
Run \`school-notifications check\` to see which values are in effect, where each comes from, and what is wrong.

- An environment variable wins over the file.
- An empty value counts as not set. A setting without a default is empty.
- \`{NAME}\` in a value is replaced by the value of a setting higher up on this page.
- Quote a value (\`'\`, \`"\` or \`\` \` \`\`) that begins with a quote or contains \`#\`.
- A value that is not allowed stops the start with one line: the setting, its line in \`.env\`, what is allowed.
- A secret may be in a file: set the name with \`_FILE\` to its path, such as \`DATABASE_URL_FILE\`.`;

const settings = Object.entries<Setting>(SETTINGS);

/** Returns the page on all settings. */
export function settingsPage(): string {
  const parts = settings.map(([name, setting]) => {
    const title = SECTIONS[name as SettingName];
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
