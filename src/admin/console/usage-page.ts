import { html, type Html, NOTHING } from '../../asmx';
import { USAGE_COLUMNS, usageCells, type UsageHead, usageName, withoutPrice } from '../reports';
import { USAGE_GROUPS, type UsageLine, type UsageReport } from '../usage';
import { shown } from '../../support/text';
import { table } from './page-parts';

/**
 * A month's table, as `school-notifications usage` has it, and its days as a plot.
 *
 * @param thisMonth - the last one that there is
 */
export function usagePart(
  report: UsageReport,
  { month, by, timeZone }: UsageHead,
  { thisMonth, plot }: { readonly thisMonth: string; readonly plot: Html },
): Html {
  const rows = report.lines.length === 0 ? [] : [...report.lines, report.total];
  const nameOf = (line: UsageLine): string => (line === report.total ? 'total' : shown(usageName(line)));
  const later = monthBeside(month, 1);
  return html`<h1>Usage of ${month}</h1>
<p>Messages by the month in which they were taken on (${timeZone}), and the SMS that they took.</p>
<form class="filter inline" method="get" action="/usage">
<div class="field"><label for="f-month">Month</label><input id="f-month" name="month" type="month" value="${month}" max="${thisMonth}"></div>
<div class="field"><label for="f-by">By</label><select id="f-by" name="by">${USAGE_GROUPS.map((group) => html`<option${group === by ? html` selected` : NOTHING}>${group}</option>`)}</select></div>
<button>Show</button>
</form>
${table<UsageLine>({
  label: `Usage of ${month} by ${by}`,
  rows,
  none: 'There are no messages of this month.',
  columns: [
    { name: by, cell: nameOf },
    ...USAGE_COLUMNS.map((name, at) => ({
      name,
      cell: (line: UsageLine) => usageCells(line)[at] ?? '',
      kind: 'number' as const,
    })),
  ],
})}${withoutPrice(report.total, report.unpricedCountries).map((line) => html`<p>${line}</p>\n`)}<h2>Day by day</h2>
${plot}<nav class="pager" aria-label="Months"><a href="/usage?month=${monthBeside(month, -1)}&amp;by=${by}">Month before</a>${later > thisMonth ? NOTHING : html`<a href="/usage?month=${later}&amp;by=${by}">Month after</a>`}<a href="/usage.csv?month=${month}&amp;by=${by}">As CSV</a></nav>`;
}

/** So many months later, or earlier. */
export function monthBeside(month: string, months: number): string {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 'YYYY-MM'.length);
}
