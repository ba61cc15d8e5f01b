import express from 'express';

import { addPage, livePart, type ShowContent, table, wordsFor } from '../../admin/console/console-page';
import type { ConsoleCore, ConsolePart, SchoolFact } from '../../admin/console/console-part';
import { type Fields, fieldText } from '../../admin/console/message-address';
import { callerAddress, schoolAddress } from '../../admin/console/record-address';
import { sendCsvFile } from '../../admin/console/message-csv';
import { requireRole } from '../../admin/console/message-routes';
import type { Text, Words } from '../../admin/texts/words';
import { html, type Html, NOTHING } from '../../support/html';
import { type Calendar, dayAfter } from '../../support/calendar';
import { MESSAGE_CHANNELS } from '../../store';
import { shown } from '../../support/text';
import { BAD_STATES, type Plot, plotPart } from '../charts/plots';
import { DeliveryFileInUse } from '../../delivery/wording';
import { DailyUsage } from './daily-usage';
import { MonthUsage } from './month-usage';
import {
  USAGE_GROUPS,
  USAGE_STATES,
  type UsageGroup,
  type UsageLine,
  type UsageReport,
} from './usage-report';
import { USAGE_COLUMNS, usageCells, usageCsv, type UsageHead, withoutPrice } from './usage-text';

const PART = 'usage';
/** Number of live updates for each update of the usage of a month. */
const UPDATES = 6;

/** Shown instead of counts that take long. */
const COUNTING = 'Still counting. Reload the page in a moment.' satisfies Text;

/** Returns the usage page with its stream and its file, and the messages of this month of each school. */
export function usageConsole(core: ConsoleCore): ConsolePart {
  const { store, config, users, live, liveEveryMs, soonMs, now } = core;
  const file = new DeliveryFileInUse(config);
  const usage = new MonthUsage(store.repository(DailyUsage), config, file, now, soonMs);
  const routes = express.Router();

  const headOf = (query: Fields) => {
    const thisMonth = usage.monthOf(now());
    const asked = fieldText(query['month']) ?? thisMonth;
    const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) && asked <= thisMonth ? asked : thisMonth;
    const by: UsageGroup = USAGE_GROUPS.find((group) => group === query['by']) ?? 'channel';
    return { head: { month, by, timeZone: config.TIME_ZONE }, thisMonth };
  };
  const monthPart = async (query: Fields, words: Words, read: 'soon' | 'report'): Promise<Html> => {
    const { head } = headOf(query);
    const [found, days] = await Promise.all(
      [head.by, 'day' as const].map((by) => usage[read](head.month, by)),
    );
    if (found === undefined || days === undefined) return html`<p class="quiet">${words.t(COUNTING)}</p>\n`;
    const plot = usagePlot(days, head.month, usage.calendar.dayOf(now()), usage.calendar, words);
    return usagePart(found, head, plotPart(plot, words), words);
  };

  const showUsage: ShowContent = async (query, { words }) => {
    const { head, thisMonth } = headOf(query);
    const month = livePart(PART, await monthPart(query, words, 'soon'));
    return usagePage(head, thisMonth, month, words);
  };
  addPage(routes, users, ['/usage', 'Usage'], showUsage, (query) => {
    const { month, by } = headOf(query).head;
    return `/live/usage?${new URLSearchParams({ month, by }).toString()}`;
  });
  routes.get('/live/usage', (request, response) =>
    live.serve(request, response, [
      {
        id: PART,
        everyMs: liveEveryMs * UPDATES,
        render: () => monthPart(request.query, wordsFor(response), 'report'),
      },
    ]),
  );
  routes.get('/usage.csv', requireRole(users, 'export'), async (request, response) => {
    const { head } = headOf(request.query);
    const found = await usage.report(head.month, head.by);
    await users.record(response, 'export', { what: 'usage', month: head.month });
    sendCsvFile(response, `usage-${head.month}.csv`, usageCsv(found, head));
  });

  return {
    sections: { '/usage': 'Usage' },
    routes,
    reloadables: [file],
    schoolFact: async (words) => schoolFact(await usage.soon(usage.monthOf(now()), 'school'), words),
  };
}

/** @param report - by school; undefined while it is counted */
function schoolFact(report: UsageReport | undefined, words: Words): SchoolFact {
  const bySchool = new Map(report?.lines.map((line) => [line.name, line]));
  return {
    name: 'This month',
    isNumber: true,
    inList: (url) => (report === undefined ? '…' : (bySchool.get(url)?.messages ?? 0)),
    inDetails: (url) => {
      const line = bySchool.get(url);
      if (line === undefined) return words.t(report === undefined ? COUNTING : 'no messages');
      const { sent, failed, expired } = line.states;
      return words.t('{n} messages, {sent} sent, {failed} failed or expired', {
        n: line.messages,
        sent,
        failed: failed + expired,
      });
    },
  };
}

/** @param report - by day */
function usagePlot(
  { lines, total }: UsageReport,
  month: string,
  today: string,
  calendar: Calendar,
  words: Words,
): Plot {
  const byDay = new Map(lines.map((line) => [line.name, line]));
  const columns = USAGE_STATES.filter((state) => total.states[state] > 0);
  const days: string[] = [];
  for (let day = `${month}-01`; day.startsWith(month) && day <= today; day = dayAfter(day)) days.push(day);
  return {
    id: 'days',
    title: words.t('Messages by day'),
    unit: words.t('messages'),
    drawing: 'bars',
    columns: columns.map((state) => ({ name: words.said(state), isBad: BAD_STATES.includes(state) })),
    rows: days.map((day) => {
      const [from, to] = [day, dayAfter(day)].map((each) => calendar.startOf(each));
      return {
        at: from ?? 0,
        values: columns.map((state) => byDay.get(day)?.states[state] ?? 0),
        link: `/messages?newer-than=${isoText(from)}&older-than=${isoText(to)}`,
      };
    }),
  };
}

function isoText(time = 0): string {
  return new Date(time).toISOString();
}

/**
 * @param thisMonth - the current month
 * @param content - table and plot, or a note instead
 */
function usagePage({ month, by, timeZone }: UsageHead, thisMonth: string, content: Html, words: Words): Html {
  const later = monthBeside(month, 1);
  return html`<h1>${words.t('Usage of {month}', { month })}</h1>
<p>${words.t('Messages accepted in this month (time zone {zone}), and the SMS they used.', {
    zone: timeZone,
  })}</p>
<form class="filter inline" method="get" action="/usage">
<div class="field"><label for="f-month">${words.t('Month')}</label>\
<input id="f-month" name="month" type="month" value="${month}" max="${thisMonth}"></div>
<div class="field"><label for="f-by">${words.t('Group by')}</label><select id="f-by" name="by">\
${USAGE_GROUPS.map(
  (group) =>
    html`<option value="${group}"${group === by ? html` selected` : NOTHING}>${words.said(group)}</option>`,
)}</select></div>
<button>${words.t('Show')}</button>
</form>
${content}<nav class="pager" aria-label="${words.t('Months')}">\
<a href="/usage?month=${monthBeside(month, -1)}&amp;by=${by}">${words.t('Previous month')}</a>\
${
  later > thisMonth
    ? NOTHING
    : html`<a href="/usage?month=${later}&amp;by=${by}">${words.t('Next month')}</a>`
}<a href="/usage.csv?month=${month}&amp;by=${by}">${words.t('Download CSV')}</a></nav>`;
}

/** Shows a month's table, like `school-notifications usage`, and a plot of its days. */
function usagePart(report: UsageReport, { month, by }: UsageHead, plot: Html, words: Words): Html {
  const rows = report.lines.length === 0 ? [] : [...report.lines, report.total];
  const nameOf = (line: UsageLine): Html | string => {
    if (line === report.total) return words.t('total');
    const channel = by === 'channel' ? MESSAGE_CHANNELS.find((each) => each === line.name) : undefined;
    const text = line.name === '' ? words.t('(none)') : channel ? words.t(channel) : shown(line.name);
    const addressOf = by === 'school' ? schoolAddress : by === 'caller' ? callerAddress : undefined;
    return line.name === '' || addressOf === undefined
      ? text
      : html`<a href="${addressOf(line.name)}">${text}</a>`;
  };
  return html`${table<UsageLine>(words, {
    label: { text: 'Usage of {month} by {group}' satisfies Text, values: { month, group: { text: by } } },
    rows,
    none: 'No messages in this month.',
    columns: [
      { name: { text: by }, cell: nameOf },
      ...USAGE_COLUMNS.map((name, at) => ({
        name: { text: name },
        cell: (line: UsageLine) => usageCells(line)[at] ?? '',
        kind: 'number' as const,
      })),
    ],
  })}${withoutPrice(report.total, report.unpricedCountries).map(
    (line) => html`<p>${words.said(line)}</p>\n`,
  )}<h2>${words.t('By day')}</h2>
${plot}`;
}

function monthBeside(month: string, months: number): string {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 'YYYY-MM'.length);
}
