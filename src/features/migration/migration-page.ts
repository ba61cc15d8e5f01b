import { html, type Html, NOTHING } from '../../support/html';
import type { StatsPoint, Store } from '../../store';
import { shown } from '../../support/text';
import type { Action } from '../../admin/login/actions';
import type { Text, Words } from '../../admin/texts/words';
import { badNumber, table, timePart } from '../../admin/console/console-page';
import { sumForwarded } from '../../admin/console/requests-page';
import { HOUR_MS } from '../../support/durations';
import { FEATURE_ACTION_LOG } from '../feature';

/** How an operation is answered over a binding, and how far its comparison is. */
export interface MigratedCall {
  readonly operation: string;
  readonly binding: string;
  readonly mode: 'old' | 'shadow' | 'new' | 'fallback';
  /** True if it has side effects, and so cannot be compared. */
  readonly sends: boolean;
  /** Comparisons on this node, and those with an unintended difference. */
  readonly compared: number;
  readonly different: number;
}

/** A kind of difference between the two servers, with one example; values are masked. */
export interface ShownDifference {
  readonly operation: string;
  readonly binding: string;
  readonly text: string;
  readonly count: number;
  readonly old: string | undefined;
  readonly ours: string | undefined;
  /** Shell command that sends such a request. */
  readonly example: string;
}

/** Source of what this node answers itself and what it forwards. */
export interface MigrationSource {
  calls(): readonly MigratedCall[];
  /** Unintended differences, most frequent first. */
  differences(): readonly ShownDifference[];
}

/** Name of a change of modes; its details are the modes of all operations. */
export const CUTOVER_ACTION = 'cutover' satisfies Action['action'];

const SPAN_MS = 7 * 24 * HOUR_MS;
const MAX_DIFFERENCES = 50;
const MAX_CHANGES = 20;
/** Comparisons without a difference after which an operation is ready. */
const ENOUGH = 100;

/** Calls of one operation over the bindings that are answered in the same way. */
interface CallRow extends MigratedCall {
  readonly bindings: string;
  /** Requests of the last seven days by where they ended. */
  readonly forwarded: number;
  readonly failed: number;
  readonly fellBack: number;
  readonly here: number;
  /** Bindings without a comparison, or for a fallback without a request that this service answered. */
  readonly unseen: readonly string[];
}

const MODES = {
  old: 'old server',
  shadow: 'old server, compared',
  fallback: 'this service, else the old server',
  new: 'this service',
} as const satisfies Readonly<Record<MigratedCall['mode'], Text>>;

/** Shows which server answers what, how their answers differ, what changed when, and what to do next. */
export async function migrationPart(
  store: Pick<Store, 'stats' | 'repository'>,
  source: MigrationSource,
  oldServerAnswers: boolean | undefined,
  words: Words,
  now: number,
): Promise<Html> {
  const to = Math.ceil(now / HOUR_MS) * HOUR_MS;
  const rows = toRows(source.calls(), await store.stats.total({ from: to - SPAN_MS, to }));
  const differences = source.differences().slice(0, MAX_DIFFERENCES);
  return html`<h1>${words.t('Migration')}</h1>
<p class="lead">${nextStep(rows, oldServerAnswers, words)}</p>
<p>${words.html(
    'Requests of the last 7 days on all nodes; comparisons on this node. {guide} explains each step.',
    {
      guide: html`<a href="/docs/migrate-from-asmx">${words.t('The migration guide')}</a>`,
    },
  )}</p>
${table<CallRow>(words, {
  label: 'Operations',
  rows,
  columns: [
    { name: 'Operation', cell: ({ operation }) => operation },
    { name: 'Bindings', cell: ({ bindings }) => bindings },
    { name: 'Answered by', cell: ({ mode }) => words.t(MODES[mode]) },
    { name: 'Answered here', cell: ({ here }) => here, kind: 'wide number' },
    { name: 'Forwarded', cell: ({ forwarded }) => forwarded, kind: 'wide number' },
    { name: 'Fell back', cell: ({ fellBack }) => badNumber(fellBack, words), kind: 'wide number' },
    { name: 'No answer', cell: ({ failed }) => badNumber(failed, words), kind: 'wide number' },
    { name: 'Compared', cell: ({ compared }) => compared, kind: 'wide number' },
    { name: 'Different', cell: ({ different }) => badNumber(different, words), kind: 'number' },
    { name: 'Next step', cell: (row) => adviceOn(row, words) },
  ],
})}<h2>${words.t('Differences')}</h2>
${differencesPart(differences, words)}${await historyPart(store, words)}`;
}

function toRows(calls: readonly MigratedCall[], counts: StatsPoint): readonly CallRow[] {
  const firsts = calls.filter(
    ({ operation, mode }, at) =>
      calls.findIndex((call) => call.operation === operation && call.mode === mode) === at,
  );
  return firsts.map((first) => {
    const group = calls.filter(({ operation, mode }) => operation === first.operation && mode === first.mode);
    const bindings: readonly string[] = group.map(({ binding }) => binding);
    const isMeant = ({ operation, binding }: StatsPoint['requests'][number]): boolean =>
      operation === first.operation && bindings.includes(binding);
    const { all, fellBack, unanswered } = sumForwarded(counts.forwarded.filter(isMeant));
    const total = (name: 'compared' | 'different'): number =>
      group.reduce((all, each) => all + each[name], 0);
    const answered = ({ binding }: MigratedCall): number => {
      const ofBinding = (each: StatsPoint['requests'][number]): boolean =>
        each.operation === first.operation && each.binding === binding;
      const { fellBack: lost } = sumForwarded(counts.forwarded.filter(ofBinding));
      return counts.requests.filter(ofBinding).reduce((sum, { requests }) => sum + requests, 0) - lost;
    };
    const unseen = group.filter((call) =>
      call.mode === 'shadow' ? call.compared === 0 : call.mode === 'fallback' && answered(call) <= 0,
    );
    return {
      ...first,
      unseen: unseen.map(({ binding }) => binding),
      bindings: bindings.join(', '),
      compared: total('compared'),
      different: total('different'),
      forwarded: all - fellBack,
      failed: unanswered,
      fellBack,
      here: counts.requests.filter(isMeant).reduce((sum, { requests }) => sum + requests, 0) - fellBack,
    };
  });
}

function isReady({ mode, sends, compared, different, fellBack, unseen }: CallRow): boolean {
  if (unseen.length > 0) return false;
  if (mode === 'shadow') return compared >= ENOUGH && different === 0;
  return mode === 'fallback' && !sends && fellBack === 0;
}

function adviceOn(row: CallRow, words: Words): string {
  const { mode, sends, different, compared } = row;
  if (mode === 'new') return words.t('Done.');
  if (sends) return words.t('It sends messages, so it cannot be compared: set it to “new” last.');
  if (mode === 'old') return words.t('Set it to “shadow” to compare the answers.');
  if (mode === 'fallback' && row.fellBack > 0)
    return words.t('It failed here: find the reason on the Requests page.');
  const noCalls = words.t('No calls over {bindings} yet: nothing shows that they work here.', {
    bindings: row.unseen.join(', '),
  });
  if (mode === 'fallback') return isReady(row) ? words.t('Ready: set it to “new”.') : noCalls;
  if (different > 0) return words.t('Explain or fix the differences below.');
  if (compared < ENOUGH) return words.t('Comparisons still needed: {n}.', { n: ENOUGH - compared });
  return isReady(row) ? words.t('Ready: set it to “fallback”.') : noCalls;
}

function nextStep(rows: readonly CallRow[], oldServerAnswers: boolean | undefined, words: Words): Html {
  if (oldServerAnswers === false)
    return html`<strong class="bad">\
${words.t('The old server is not responding.')}\
</strong> ${words.t('Check that it runs and that OLD_URL is its address.')}`;
  if (rows.every(({ mode }) => mode === 'new'))
    return html`<strong class="good">\
${words.t('This service answers everything.')}\
</strong> ${words.t('Remove OLD_URL, CUTOVER_FILE and RECORD_FILE before the next restart.')}`;
  const different = rows.filter((row) => row.mode === 'shadow' && row.different > 0).length;
  const ready = rows.filter(isReady).length;
  if (ready > 0)
    return html`<strong>\
${words.count(
  ready,
  '{n} operation is ready for its next step.',
  '{n} operations are ready for their next step.',
)}</strong> ${words.t('Change CUTOVER_FILE, then reload the service.')}`;
  if (different > 0) return html`<strong>${words.t('Explain or fix the differences below.')}</strong>`;
  return html`<strong>${words.t('Collecting comparisons.')}</strong>`;
}

function differencesPart(differences: readonly ShownDifference[], words: Words): Html {
  if (differences.length === 0) return html`<p class="quiet">${words.t('No unintended differences.')}</p>\n`;
  const items = differences.map(({ operation, binding, text: what, count, old, ours, example }) => {
    const values = [
      old === undefined ? [] : [words.t('old server: {value}', { value: shown(old) })],
      ours === undefined ? [] : [words.t('this service: {value}', { value: shown(ours) })],
    ].flat();
    return html`<li class="warn"><strong>\
${words.number(count)} × ${operation} ${binding}: ${shown(what)}</strong> ${values.join('; ')}
<details data-name="${operation} ${binding} ${what}"><summary>${words.t('Example')}</summary>
<pre tabindex="0"><code>${shown(example)}</code></pre></details></li>\n`;
  });
  return html`<p class="quiet">\
${words.t('Personal data is masked.')}</p>\n${words.ofEnglish('Messages are in English, as in the log.')}
<ul class="findings">\n${items}</ul>\n`;
}

/** Shows what each change of modes changed compared with the one before; nothing if none is recorded. */
async function historyPart(store: Pick<Store, 'repository'>, words: Words): Promise<Html> {
  if (FEATURE_ACTION_LOG === undefined) return NOTHING;
  const entries = await FEATURE_ACTION_LOG.list(store, CUTOVER_ACTION, MAX_CHANGES);
  const rows = entries.flatMap(({ at, detail }, index) => {
    const before = entries[index + 1];
    if (before === undefined && entries.length === MAX_CHANGES) return [];
    return [
      {
        at,
        change:
          before === undefined
            ? words.t('First start as a reverse proxy')
            : changeText(before.detail, detail),
      },
    ];
  });
  return html`<h2>${words.t('History')}</h2>
${table<(typeof rows)[number]>(words, {
  label: 'History',
  rows,
  none: 'No changes yet.',
  columns: [
    { name: 'Time', cell: ({ at }) => timePart(at, words) },
    { name: 'Change', cell: ({ change }) => shown(change), kind: 'long' },
  ],
})}`;
}

function changeText(before: Action['detail'], after: Action['detail']): string {
  return Object.keys({ ...before, ...after })
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${String(before[name] ?? '–')} → ${String(after[name] ?? '–')}`)
    .join(', ');
}

/** Returns the details of a change of modes: of each operation the mode, or one for each binding. */
export function modesDetail(
  calls: readonly Pick<MigratedCall, 'operation' | 'binding' | 'mode'>[],
): Action['detail'] {
  const operations = [...new Set(calls.map(({ operation }) => operation))];
  return Object.fromEntries(
    operations.map((operation) => {
      const group = calls.filter((call) => call.operation === operation);
      const modes = new Set(group.map(({ mode }) => mode));
      return [
        operation,
        modes.size === 1
          ? [...modes].join()
          : group.map(({ binding, mode }) => `${binding} ${mode}`).join(' '),
      ];
    }),
  );
}
