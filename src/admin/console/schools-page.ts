import { html, type Html, NOTHING } from '../../asmx';
import type { ClassSummary, SchoolSummary, Store } from '../../store';
import { PROGRAM_NAME } from '../../support/program-name';
import { counted, numberText, shown } from '../../support/text';
import type { UsageLine } from '../reports/usage-report';
import { facts, table, timePart } from './console-page';
import type { TimeText } from '../reports/time-text';

/** Number of schools on a page. */
const PAGE_LENGTH = 25;

/** Data for the pages of schools, besides the store. */
export interface SchoolContext {
  /** Returns the earliest time for a school's notes: now, or the end of its quiet hours. */
  readonly notBefore: (school: string, now: number) => number;
  /** Usage of the current month, by school. */
  readonly usage: ReadonlyMap<string, UsageLine>;
  readonly time: TimeText;
  readonly now: number;
}

function addressOf(url: string): string {
  return `/schools/school?url=${encodeURIComponent(url)}`;
}

/** Lists schools by URL. */
export async function schoolsPart({ schools }: Store, after: string, context: SchoolContext): Promise<Html> {
  const found = await schools.page(PAGE_LENGTH + 1, after);
  const rows = found.slice(0, PAGE_LENGTH);
  const last = found.length > PAGE_LENGTH ? rows.at(-1) : undefined;
  return html`<h1>Schools</h1>
${table<SchoolSummary>({
  label: 'Schools',
  rows,
  none: after === '' ? `No schools yet. Load them with ${PROGRAM_NAME} import.` : 'No more schools.',
  columns: [
    {
      name: 'School',
      cell: ({ url, name }) => html`<a href="${addressOf(url)}">${shown(name === '' ? url : name)}</a>`,
    },
    { name: 'Students', cell: ({ students }) => numberText(students), kind: 'number' },
    { name: 'Devices', cell: ({ devices }) => numberText(devices), kind: 'number' },
    { name: 'Without a device', cell: ({ withoutDevice }) => numberText(withoutDevice), kind: 'number' },
    { name: 'Quiet hours', cell: ({ url }) => quietPart(url, context), kind: 'wide' },
    {
      name: 'This month',
      cell: ({ url }) => numberText(context.usage.get(url)?.messages ?? 0),
      kind: 'wide number',
    },
  ],
})}<nav class="pager" aria-label="Pages">${after === '' ? NOTHING : html`<a href="/schools">First</a>`}${last === undefined ? NOTHING : html`<a rel="next" href="/schools?after=${encodeURIComponent(last.url)}">Next</a>`}</nav>`;
}

/**
 * Shows a school with its classes.
 * @returns undefined for an unknown school
 */
export async function schoolPart(
  { schools }: Store,
  url: string,
  context: SchoolContext,
): Promise<Html | undefined> {
  const school = await schools.of(url);
  if (school === undefined) return undefined;
  const usage = context.usage.get(url);
  const messages = `/messages?school=${encodeURIComponent(url)}`;
  return html`<h1>${shown(school.name === '' ? url : school.name)}</h1>
<div class="card">${facts('School details', [
    ['Base URL', shown(url)],
    ['Students', numberText(school.students)],
    ['Devices with a valid token', numberText(school.devices)],
    ['Students without a device', numberText(school.withoutDevice)],
    ['Quiet hours', quietPart(url, context)],
    [
      'This month',
      usage === undefined
        ? 'no messages'
        : `${counted(usage.messages, 'message')}: ${numberText(usage.states.sent)} sent, ${numberText(usage.states.failed + usage.states.expired)} failed or expired`,
    ],
  ])}</div>
<p><a href="${messages}">Messages</a> · <a href="${messages}&amp;state=failed">Failed messages</a></p>
<h2>Classes</h2>
${table<ClassSummary>({
  label: 'Classes',
  rows: await schools.classesOf(url),
  none: 'No students.',
  columns: [
    {
      name: 'Class',
      cell: ({ id, name }) =>
        id === null
          ? 'no class'
          : html`<a href="${messages}&amp;class=${encodeURIComponent(id)}">${shown(id)}</a>${name === '' || name === id ? '' : ` ${shown(name)}`}`,
    },
    { name: 'Students', cell: ({ students }) => numberText(students), kind: 'number' },
    { name: 'Without a device', cell: ({ withoutDevice }) => numberText(withoutDevice), kind: 'number' },
  ],
})}`;
}

function quietPart(url: string, { notBefore, time, now }: SchoolContext): Html | string {
  const until = notBefore(url, now);
  return until <= now ? 'not now' : html`until ${timePart(until, time)}`;
}

const DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/** Lists callers with their operations and bindings, most recent first. */
export async function callersPart({ callers }: Store, time: TimeText, now: number): Promise<Html> {
  const rows = await callers.list({ from: now - DAYS * DAY_MS, to: now });
  return html`<h1>Callers</h1>
<p>Calls in the last ${String(DAYS)} days. Names come from ACCESS_FILE; LOG_CLIENT sets how much of an address is shown. Before you disable a binding, check here that it is no longer used.</p>
${table<(typeof rows)[number]>({
  label: 'Callers',
  rows,
  none: 'No calls yet.',
  columns: [
    { name: 'Caller', cell: ({ caller }) => shown(caller ?? 'unknown') },
    { name: 'Operation', cell: ({ operation }) => operation },
    { name: 'Binding', cell: ({ binding }) => binding },
    { name: 'Requests', cell: ({ requests }) => numberText(requests), kind: 'number' },
    { name: 'Last seen', cell: ({ lastSeenAt }) => timePart(lastSeenAt, time) },
    { name: 'Client', cell: ({ agent }) => agent, kind: 'wide' },
    { name: 'Address', cell: ({ address }) => address ?? '', kind: 'wide' },
  ],
})}`;
}
