import { html, type Html, NOTHING } from '../../support/html';
import { SETTING_SECTIONS, type Settings } from '../../config';
import { checkStore, isDefault, located, type SectionContent } from '../reports/checks';
import { PROGRAM_NAME } from '../../support/program-name';
import type { Finding } from '../../support/errors';
import { shown } from '../../support/text';
import type { Text, Words } from '../texts/words';
import { facts, helpLink, table } from './console-page';

const WORDS = { warn: 'Warning', error: 'Error', fatal: 'Error' } as const;

/**
 * Shows settings and store like `school-notifications check`, with secrets masked; what differs from the
 * defaults first.
 */
export async function settingsPart(
  settings: Settings,
  findings: readonly Finding[],
  words: Words,
): Promise<Html> {
  const changed = settings.effective.filter((setting) => !isDefault(setting));
  const rows = changed.map(({ name, shown: value, origin }) => [name, origin, value]);
  const store = located(await checkStore(settings.config), settings);
  return html`<h1>${words.t('Settings')}</h1>
<p>${words.html('Values as at the start of the service. Run {command} to also test the providers.', {
    command: html`<code>${PROGRAM_NAME} check</code>`,
  })}${helpLink('reference/settings', words)}</p>
${sectionPart('Settings', { rows, findings }, words)}${sectionPart('Store', store, words)}<h2>\
${words.t('Defaults')}</h2>
<div class="settings">
${defaultsPart(settings, words)}</div>`;
}

/** Lists the settings with their default values, in the sections of the reference. */
function defaultsPart({ effective }: Settings, words: Words): readonly Html[] {
  const sections: { readonly title: Text; readonly rows: (readonly [Html, string])[] }[] = [];
  for (const setting of effective) {
    const { name, shown: value } = setting;
    const title = SETTING_SECTIONS[name];
    if (title !== undefined) sections.push({ title, rows: [] });
    if (isDefault(setting)) sections.at(-1)?.rows.push([breakable(name), shown(value === '' ? '–' : value)]);
  }
  return sections
    .filter(({ rows }) => rows.length > 0)
    .map(({ title, rows }) => html`<h3>${words.t(title)}</h3>\n${facts(words.t(title), rows)}`);
}

/** Lets a name break after its underscores. */
function breakable(name: string): Html {
  return html`${name.split('_').map((part, at) => (at === 0 ? part : html`_<wbr>${part}`))}`;
}

function sectionPart(title: Text, { rows, findings }: SectionContent, words: Words): Html {
  const names: readonly Text[] = title === 'Settings' ? ['Setting', 'Source', 'Value'] : ['Item', 'Value'];
  const items = findings.map(({ level, message }) => {
    const text = words.line(message);
    const line = text === undefined ? html`<span lang="en">${shown(message)}</span>` : shown(text);
    return html`<li class="${level === 'warn' ? 'warn' : 'bad'}"><strong>\
${words.t(WORDS[level])}:</strong> ${line}</li>\n`;
  });
  const isEnglish = findings.some(({ message }) => words.line(message) === undefined);
  const note = isEnglish ? words.ofEnglish('Messages are in English, as in the log.') : NOTHING;
  return html`<h2>${words.t(title)}</h2>
${
  items.length === 0
    ? html`<p class="good">${words.t('No problems found.')}</p>\n`
    : html`${note}<ul class="findings">\n${items}</ul>\n`
}${table(words, {
    label: title,
    rows,
    none: 'All settings have their default values.',
    columns: names.map((name, at) => ({
      name,
      cell: (cells: readonly string[]) =>
        shown(at < names.length - 1 ? words.said({ line: cells[at] ?? '' }) : (cells[at] ?? '')),
    })),
  })}`;
}
