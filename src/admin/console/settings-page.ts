import { html, type Html } from '../../asmx';
import type { Settings } from '../../config';
import { checkSettings, checkStore, located, type Section } from '../reports/checks';
import { PROGRAM_NAME } from '../../support/program-name';
import type { Finding } from '../../support/errors';
import { shown } from '../../support/text';
import { table } from './console-page';

const WORDS = { warn: 'Warning', error: 'Cannot work', fatal: 'Cannot work' } as const;

/** Settings and store as `school-notifications check` shows them; secrets are masked there. */
export async function settingsPart(settings: Settings, findings: readonly Finding[]): Promise<Html> {
  const sections = [checkSettings(settings, findings), located(await checkStore(settings.config), settings)];
  return html`<h1>Settings</h1>
<p>As they were read when the service started. <code>${PROGRAM_NAME} check</code> shows the same, and asks the providers.</p>
${sections.map(sectionPart)}`;
}

function sectionPart({ title, rows, findings }: Section): Html {
  const names = title === 'Settings' ? ['Setting', 'From', 'Value'] : ['What', 'Is'];
  const items = findings.map(
    ({ level, message }) =>
      html`<li class="${level === 'warn' ? 'warn' : 'bad'}"><strong>${WORDS[level]}:</strong> ${shown(message)}</li>\n`,
  );
  return html`<h2>${title}</h2>
${items.length === 0 ? html`<p class="good">Nothing is wrong.</p>\n` : html`<ul class="findings">\n${items}</ul>\n`}${table(
    {
      label: title,
      rows,
      none: 'There is nothing to say.',
      columns: names.map((name, at) => ({
        name,
        cell: (cells: readonly string[]) => shown(cells[at] ?? ''),
      })),
    },
  )}`;
}
