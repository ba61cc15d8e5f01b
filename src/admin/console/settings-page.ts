import { html, type Html } from '../../asmx';
import type { Settings } from '../../config';
import { checkSettings, checkStore, located, type Section } from '../reports/checks';
import { PROGRAM_NAME } from '../../support/program-name';
import type { Finding } from '../../support/errors';
import { shown } from '../../support/text';
import { table } from './console-page';

const WORDS = { warn: 'Warning', error: 'Error', fatal: 'Error' } as const;

/** Shows settings and store like `school-notifications check`, with secrets masked. */
export async function settingsPart(settings: Settings, findings: readonly Finding[]): Promise<Html> {
  const sections = [
    checkSettings(settings, findings, true),
    located(await checkStore(settings.config), settings),
  ];
  return html`<h1>Settings</h1>
<p>Values as of the start of the service. Run <code>${PROGRAM_NAME} check</code> to also test the providers. <a href="/docs/reference/settings">Help</a></p>
${sections.map(sectionPart)}`;
}

function sectionPart({ title, rows, findings }: Section): Html {
  const names = title === 'Settings' ? ['Setting', 'From', 'Value'] : ['Item', 'Value'];
  const items = findings.map(
    ({ level, message }) =>
      html`<li class="${level === 'warn' ? 'warn' : 'bad'}"><strong>${WORDS[level]}:</strong> ${shown(message)}</li>\n`,
  );
  return html`<h2>${title}</h2>
${items.length === 0 ? html`<p class="good">No problems found.</p>\n` : html`<ul class="findings">\n${items}</ul>\n`}${table(
    {
      label: title,
      rows,
      none: 'Nothing to show.',
      columns: names.map((name, at) => ({
        name,
        cell: (cells: readonly string[]) => shown(cells[at] ?? ''),
      })),
    },
  )}`;
}
