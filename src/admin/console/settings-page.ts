import { html, type Html } from '../../asmx';
import type { Settings } from '../../config';
import { checkSettings, checkStore, located, type Section } from '../reports/checks';
import { PROGRAM_NAME } from '../../support/program-name';
import type { Finding } from '../../support/errors';
import { shown } from '../../support/text';
import type { Text, Words } from '../texts/words';
import { table } from './console-page';

const WORDS = { warn: 'Warning', error: 'Error', fatal: 'Error' } as const;

/** Shows settings and store like `school-notifications check`, with secrets masked. */
export async function settingsPart(
  settings: Settings,
  findings: readonly Finding[],
  words: Words,
): Promise<Html> {
  const sections = [
    checkSettings(settings, findings, true),
    located(await checkStore(settings.config), settings),
  ];
  return html`<h1>${words.t('Settings')}</h1>
<p>${words.html('Values as of the start of the service. Run {command} to also test the providers.', { command: html`<code>${PROGRAM_NAME} check</code>` })} <a href="/docs/reference/settings">${words.t('Help')}</a></p>
${sections.map((section) => sectionPart(section, words))}`;
}

function sectionPart({ title, rows, findings }: Section, words: Words): Html {
  const names: readonly Text[] = title === 'Settings' ? ['Setting', 'Source', 'Value'] : ['Item', 'Value'];
  const items = findings.map(
    ({ level, message }) =>
      html`<li class="${level === 'warn' ? 'warn' : 'bad'}"><strong lang="${words.language}">${words.t(WORDS[level])}:</strong> ${shown(message)}</li>\n`,
  );
  return html`<h2>${words.said(title)}</h2>
${items.length === 0 ? html`<p class="good">${words.t('No problems found.')}</p>\n` : html`${words.ofEnglish('Messages are in English, as in the log.')}<ul class="findings" lang="en">\n${items}</ul>\n`}${table(
    {
      label: words.said(title),
      rows,
      none: words.t('Nothing to show.'),
      columns: names.map((name, at) => ({
        name: words.t(name),
        cell: (cells: readonly string[]) =>
          shown(at < names.length - 1 ? words.said(cells[at] ?? '') : (cells[at] ?? '')),
      })),
    },
  )}`;
}
