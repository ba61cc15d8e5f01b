import express, { type Router } from 'express';

import { findViewer, sendPage, table, timePart } from '../../admin/console/console-page';
import type { ConsoleCore, ConsolePart } from '../../admin/console/console-part';
import { type Fields, fieldText } from '../../admin/console/message-address';
import { sendCsvFile } from '../../admin/console/message-csv';
import { requireRole } from '../../admin/console/message-routes';
import { actorText } from '../../admin/login/actions';
import { csvTable } from '../../admin/reports/records';
import type { Text, Words } from '../../admin/texts/words';
import { MESSAGE_CHANNELS, MESSAGE_STATES } from '../../store';
import { Calendar, dayAfter } from '../../support/calendar';
import { html, type Html, NOTHING } from '../../support/html';
import { shown } from '../../support/text';
import { Audit, type AuditFilter, type AuditRecord } from './audit';

const PAGE_LENGTH = 100;
/** Maximum number of entries in a CSV file. */
const MAX_RECORDS = 50_000;

/** Filter of the page as in its address. */
interface AuditQuery {
  readonly who: string | undefined;
  /** YYYY-MM-DD */
  readonly day: string | undefined;
}

/** Returns the page of the audit: who did what, and when. */
export function auditConsole(core: ConsoleCore): ConsolePart {
  return { restricted: { '/audit': { name: 'Audit', action: 'audit' } }, routes: auditRoutes(core) };
}

function auditRoutes({ store, users, config }: ConsoleCore): Router {
  const audit = store.repository(Audit);
  const calendar = new Calendar(config.TIME_ZONE);
  const router = express.Router();
  router.get('/audit', requireRole(users, 'audit'), async (request, response) => {
    const query = readQuery(request.query);
    const before = fieldText(request.query['before']);
    const entries = await audit.list({ ...toAuditFilter(query, calendar), before }, PAGE_LENGTH);
    const viewer = findViewer(users, response);
    sendPage(response, viewer, {
      title: viewer.words.t('Audit'),
      section: '/audit',
      content: auditPart(entries, query, await audit.people(), viewer.words),
    });
  });
  router.get('/audit.csv', requireRole(users, 'audit'), async (request, response) => {
    const entries = await audit.list(toAuditFilter(readQuery(request.query), calendar), MAX_RECORDS);
    await users.record(response, 'export', { what: 'audit' });
    const rows = entries.map((entry) => [
      ...[new Date(entry.at).toISOString(), entry.who, entry.action, detailText(entry)],
    ]);
    sendCsvFile(response, 'audit.csv', csvTable(['time', 'who', 'action', 'details'], rows));
  });
  return router;
}

function readQuery(query: Fields): AuditQuery {
  const day = fieldText(query['day']) ?? '';
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return { who: fieldText(query['who']), day: isDay ? day : undefined };
}

function toAuditFilter({ who, day }: AuditQuery, calendar: Calendar): AuditFilter {
  if (day === undefined) return { who };
  return { who, from: calendar.startOf(day), until: calendar.startOf(dayAfter(day)) };
}

function auditPart(
  entries: readonly AuditRecord[],
  { who, day }: AuditQuery,
  people: readonly string[],
  words: Words,
): Html {
  const options = people.map(
    (name) =>
      html`<option value="${name}"${name === who ? html` selected` : NOTHING}>\
${actorText(name, words)}</option>`,
  );
  const address = (path: string, more: Readonly<Record<string, string>> = {}): string => {
    const query = new URLSearchParams({ ...(who && { who }), ...(day && { day }), ...more });
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  };
  const last = entries.length < PAGE_LENGTH ? undefined : entries.at(-1);
  return html`<h1>${words.t('Audit')}</h1>
<p>${words.t('Logins, retries, cancellations, imports, exports, erasures and reloads of the last year.')}</p>
<form class="filter inline" method="get" action="/audit">
<div class="field"><label for="a-who">${words.t('Person')}</label><select id="a-who" name="who">\
<option value="">${words.t('all')}</option>${options}</select></div>
<div class="field"><label for="a-day">${words.t('Day')}</label>\
<input id="a-day" name="day" type="date" value="${day ?? ''}"></div>
<button>${words.t('Show')}</button>
</form>
${table<AuditRecord>(words, {
  label: 'Audit',
  rows: entries,
  none: 'No entries match. Choose another person or day.',
  columns: [
    { name: 'Time', cell: ({ at }) => timePart(at, words, 'clock') },
    { name: 'Who', cell: ({ who }) => actorText(who, words) },
    { name: 'Action', cell: ({ action }) => shown(words.said(action)) },
    { name: 'Details', cell: (entry) => shown(detailText(entry, words)), kind: 'long' },
  ],
})}<p class="actions"><a href="${address('/audit.csv')}">${words.t('Download CSV')}</a>${
    last === undefined
      ? NOTHING
      : html` <a href="${address('/audit', { before: last.id })}" rel="next">${words.t('Older')}</a>`
  }</p>
`;
}

/** Names of details whose values are words of the service. */
const OF_WORDS: readonly Text[] = ['channel', 'state', 'result', 'by', 'what', 'cause', 'reason'];
/** Names of other details. Any further name is that of an operation. */
const NAMES: readonly Text[] = [
  ...OF_WORDS,
  ...(['files', 'folder', 'rows', 'errors', 'messages', 'month', 'refused', 'changed'] as const),
  ...(['phone', 'held', 'id', 'school', 'class', 'student', 'note', 'request', 'receipt'] as const),
];
/** Values that are words of the service. */
const WORDS: readonly Text[] = [
  ...MESSAGE_CHANNELS,
  ...MESSAGE_STATES,
  ...(['loaded', 'refused', 'messages', 'audit', 'usage', 'signal', 'command', 'file change'] as const),
  ...(['wrong', 'too many attempts', 'phone', 'student', 'school', 'class', 'note', 'request'] as const),
  ...(['channel', 'state', 'reason', 'receipt'] as const),
];

/** Returns a name or a value in the language of the words, if they have it; else as it is. */
function wordOf(text: string, known: readonly Text[], words: Words): string {
  const found = known.find((each) => each === text);
  return found === undefined ? text : words.t(found);
}

/** @param words - absent in files, whose names are those of fields */
function detailText({ detail }: AuditRecord, words?: Words): string {
  return Object.entries(detail)
    .map(([name, detailValue]) => {
      const text = String(detailValue);
      if (words === undefined) return `${name}: ${text}`;
      const value = OF_WORDS.some((each) => each === name) ? wordOf(text, WORDS, words) : text;
      return `${wordOf(name, NAMES, words)}: ${value}`;
    })
    .join(', ');
}
