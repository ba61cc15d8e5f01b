import { html, type Html, NOTHING } from '../../support/html';
import type { ClassSummary, SchoolSummary, Store } from '../../store';
import type { Phrase } from '../../support/phrase';
import { PROGRAM_NAME } from '../../support/program-name';
import { shown } from '../../support/text';
import { facts, table, timePart } from './console-page';
import type { Text, Words } from '../texts/words';
import type { SchoolFact } from './console-part';
import { DAY_MS } from '../../support/durations';
import { messageTable } from './message-table';
import { callerAddress, recordAddress, schoolAddress } from './record-address';

const PAGE_LENGTH = 25;
/** Number of messages on the page of a school. */
const SHOWN_MESSAGES = 10;
const NO_SCHOOLS = {
  text: 'No schools yet. Load them with {command}.',
  values: { command: `${PROGRAM_NAME} import` },
} satisfies Phrase<Text>;

export interface SchoolContext {
  /** Facts about each school that features add. */
  readonly facts: readonly SchoolFact[];
  readonly words: Words;
  readonly now: number;
}

/** Holds what features show around the list. */
interface AroundList {
  readonly above: readonly Html[];
  readonly below: readonly Html[];
}

export async function schoolsPart(
  { schools }: Store,
  after: string,
  context: SchoolContext,
  { above, below }: AroundList,
): Promise<Html> {
  const { words } = context;
  const found = await schools.page(PAGE_LENGTH + 1, after);
  const rows = found.slice(0, PAGE_LENGTH);
  const last = found.length > PAGE_LENGTH ? rows.at(-1) : undefined;
  return html`<h1>${words.t('Schools')}</h1>
${above}${table<SchoolSummary>(words, {
    label: 'Schools',
    rows,
    none: after === '' ? NO_SCHOOLS : 'No more schools.',
    columns: [
      {
        name: 'School',
        cell: ({ url, name }) => html`<a href="${schoolAddress(url)}">${shown(name === '' ? url : name)}</a>`,
      },
      { name: 'Students', cell: ({ students }) => students, kind: 'number' },
      { name: 'Devices', cell: ({ devices }) => devices, kind: 'number' },
      { name: 'Without a device', cell: ({ withoutDevice }) => withoutDevice, kind: 'number' },
      ...context.facts.map(({ name, isNumber, inList }) => ({
        name,
        cell: ({ url }: SchoolSummary) => inList(url),
        kind: isNumber ? ('wide number' as const) : ('wide' as const),
      })),
    ],
  })}<nav class="pager" aria-label="${words.t('Pages')}">\
${after === '' ? NOTHING : html`<a href="/schools">${words.t('First')}</a>`}\
${
  last === undefined
    ? NOTHING
    : html`<a rel="next" href="/schools?after=${encodeURIComponent(last.url)}">${words.t('Next')}</a>`
}</nav>${below}`;
}

/** @returns undefined for an unknown school */
export async function schoolPart(
  { schools, deliveries, workers }: Store,
  url: string,
  context: SchoolContext,
): Promise<Html | undefined> {
  const school = await schools.of(url);
  if (school === undefined) return undefined;
  const { words } = context;
  const messages = `/messages?school=${encodeURIComponent(url)}`;
  const { messages: last } = await deliveries.page({ school: url }, SHOWN_MESSAGES);
  const moment = { now: context.now, holds: await workers.holds(context.now) };
  return html`<h1>${shown(school.name === '' ? url : school.name)}</h1>
<div class="card">${facts(words.t('School details'), [
    [words.t('Base URL'), shown(url)],
    [words.t('Students'), words.number(school.students)],
    [words.t('Devices with a valid token'), words.number(school.devices)],
    [words.t('Students without a device'), words.number(school.withoutDevice)],
    ...context.facts.map(({ name, inDetails }) => [words.t(name), inDetails(url)] as const),
  ])}</div>
<p><a href="${messages}">${words.t('Messages')}</a> · <a href="${messages}&amp;state=failed_or_expired">\
${words.t('Failed messages')}</a></p>
<h2>${words.t('Last messages')}</h2>
${messageTable(last, words, moment, { school: url })}<h2>${words.t('Classes')}</h2>
${table<ClassSummary>(words, {
  label: 'Classes',
  rows: await schools.listClasses(url),
  none: 'No students yet. Import them.',
  columns: [
    {
      name: 'Class',
      cell: ({ id, name }) =>
        id === null
          ? words.t('no class')
          : html`<a href="${recordAddress('class', url, id)}">${shown(id)}</a>\
${name === '' || name === id ? '' : ` ${shown(name)}`}`,
    },
    { name: 'Students', cell: ({ students }) => students, kind: 'number' },
    { name: 'Without a device', cell: ({ withoutDevice }) => withoutDevice, kind: 'number' },
  ],
})}`;
}

/** Outcomes of requests, here and at the old server. */
const RESULTS: Readonly<Record<string, Text>> = {
  client_error: 'client error',
  server_error: 'server error',
  answered: 'answered by the old server',
  compared: 'compared, no difference',
  different: 'compared, with differences',
  fallback: 'answered by the old server after an error here',
  unreachable: 'old server not reached',
  silent: 'old server too slow',
  broken: 'connection to the old server lost',
  gone: 'caller disconnected',
  unsendable: 'not forwarded: invalid request',
};

function resultText(outcome: string, words: Words): string {
  const text = RESULTS[outcome];
  return text === undefined ? outcome.toUpperCase() : words.t(text);
}

const DAYS = 30;

/** Lists callers with their operations and bindings, most recent first. */
export async function callersPart({ callers }: Store, words: Words, now: number): Promise<Html> {
  const rows = await callers.list({ from: now - DAYS * DAY_MS, to: now });
  return html`<h1>${words.t('Callers')}</h1>
<p>${words.t(
    'Calls in the last {n} days by their result here, or at the old server. Names come from ACCESS_FILE; LOG_CLIENT sets how much of an address is shown. Before you disable a binding, check here that it is no longer used.',
    { n: String(DAYS) },
  )}</p>
${callerTable(rows, words)}`;
}

type CallerRow = Awaited<ReturnType<Store['callers']['list']>>[number];

export function callerTable(rows: readonly CallerRow[], words: Words): Html {
  return table<CallerRow>(words, {
    label: 'Callers',
    rows,
    none: 'No calls yet. Send one from a test page.',
    columns: [
      {
        name: 'Caller',
        cell: ({ caller }) =>
          caller === undefined
            ? words.t('unknown')
            : html`<a href="${callerAddress(caller)}">${shown(caller)}</a>`,
      },
      { name: 'Operation', cell: ({ operation }) => operation },
      { name: 'Binding', cell: ({ binding }) => binding },
      { name: 'Result', cell: ({ outcome }) => resultText(outcome, words) },
      { name: 'Requests', cell: ({ requests }) => requests, kind: 'number' },
      { name: 'Last seen', cell: ({ lastSeenAt }) => timePart(lastSeenAt, words) },
      { name: 'Client', cell: ({ agent }) => agent, kind: 'wide' },
      { name: 'Address', cell: ({ address }) => address ?? '', kind: 'wide' },
    ],
  });
}
