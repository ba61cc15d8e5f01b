import { html, type Html, NOTHING } from '../../support/html';
import { holdSentence, NO_HOLDS, type NodeFacts, type NodeRecord, type RecentMessages } from '../../store';
import { shown } from '../../support/text';
import { activeAlerts } from '../alerts/alerts';
import { type Alert, SEVERITIES, type Severity } from '../alerts/rule';
import { isSilent, type Snapshot } from '../alerts/snapshot';
import { facts, helpLink, type PageViewer, table, timePart } from './console-page';
import { failuresPart, tilesPart } from './recent-part';
import type { Words } from '../texts/words';

/** Classes of the stylesheet. */
const CLASSES: Readonly<Record<Severity, string>> = { critical: 'bad', warning: 'warn', info: 'info' };

/** Shows whether all is well, the last messages, the active alerts, why messages failed, and the nodes. */
export function conditionPart(
  snapshot: Snapshot,
  recent: RecentMessages | undefined,
  viewer: PageViewer,
): Html {
  const alerts = activeAlerts(snapshot);
  const { now } = snapshot;
  const { words } = viewer;
  const causes = alerts.filter(({ cause }) => cause === undefined).toSorted(bySeverity(alerts));
  const findings =
    alerts.length === 0
      ? NOTHING
      : html`<section>
<ul class="findings">\n${causes.map((alert, at) => alertPart(alert, alerts, words, at === 0))}</ul>
</section>\n`;
  const moment = { now, holds: snapshot.store?.holds ?? NO_HOLDS };
  return html`<div class="condition"><p class="lead">${headline(alerts, words)} <span class="quiet">\
${words.t('At {time} ({zone})', { time: words.of(now), zone: words.zone })}</span></p>
${
  recent === undefined
    ? html`<p class="quiet">${words.t('Messages: unknown, the database is not responding.')}</p>\n`
    : tilesPart(recent, snapshot, words)
}<div class="sides">${findings}\
${recent === undefined ? NOTHING : failuresPart(recent, viewer, moment)}</div></div>
<section class="card service"><h2>${words.t('Service')}</h2>${servicePart(snapshot, words)}</section>
${nodesPart(snapshot, words)}`;
}

/** Sorts what explains other alerts before what does not, within a severity. */
function bySeverity(all: readonly Alert[]): (one: Alert, other: Alert) => number {
  const rank = ({ key, rule }: Alert): number =>
    SEVERITIES.indexOf(rule.severity) + (all.some(({ cause }) => cause === key) ? 0 : 0.5);
  return (one, other) => rank(one) - rank(other);
}

/** Green only while no alert is active; notes alone are calm. */
function headline(alerts: readonly Alert[], words: Words): Html {
  const worst = alerts.find(({ cause }) => cause === undefined);
  if (worst === undefined) return html`<strong class="good">${words.t('All systems normal')}</strong>`;
  const { severity } = worst.rule;
  if (severity === 'info') return html`<strong>${words.t('Running, with notices')}</strong>`;
  return html`<strong class="${CLASSES[severity]}">${words.t('Needs attention')}</strong>`;
}

/** Shows an alert in a line or two, which opens to what to do and to its symptoms. */
function alertPart(
  { key, rule, summary, description, advice }: Alert,
  all: readonly Alert[],
  words: Words,
  isOpen: boolean,
): Html {
  const { name, severity, link, isNotice } = rule;
  const help = isNotice === true ? NOTHING : helpLink(`alerts#${name.toLowerCase()}`, words);
  const symptoms = all.filter(({ cause }) => cause === key);
  const small = symptoms.map(
    (symptom) =>
      html`<p class="quiet">\
${shown(words.said(symptom.summary))}: ${shown(words.said(symptom.description))}</p>`,
  );
  const more = link === undefined ? NOTHING : html` <a href="${link[0]}">${words.said(link[1])}</a>`;
  return html`<li class="${CLASSES[severity]}"><details data-name="${key}"${isOpen ? html` open` : NOTHING}>\
<summary><strong>${shown(words.said(summary))}.</strong> ${shown(words.said(description))}</summary><p>\
${advice.map((each) => html`${words.said(each)} `)}${more}${help}</p>${small}</details></li>\n`;
}

function servicePart(snapshot: Snapshot, words: Words): Html {
  const { store, node } = snapshot;
  const { circuits, processes, disk, version } = node;
  return facts(words.t('Service'), [
    [
      words.t('Database'),
      store === undefined
        ? html`<span class="bad">${words.t('does not answer')}</span>`
        : html`<span class="good">${words.t('answers')}</span>`,
    ],
    ...circuits.map(
      (circuit) =>
        [
          words.t(circuit.channel === 'sms' ? 'SMS provider' : 'Push provider'),
          providerText(circuit, snapshot, words),
        ] as const,
    ),
    [words.t('Processes'), words.number(processes)],
    [words.t('Workers'), sendingText(store, words)],
    [words.t('Free disk space'), diskText(disk, words)],
    [words.t('Version'), version],
  ]);
}

function providerText(
  { channel, isOpen }: NodeFacts['circuits'][number],
  { store, fileChannels, now }: Snapshot,
  words: Words,
): Html {
  if (fileChannels.some((each) => each === channel))
    return html`<span class="warn">${words.t('file only: nothing is sent')}</span>`;
  if (!isOpen) return html`<span class="good">OK</span>`;
  const hold = store?.holds.ofSome.find((each) => each.channel === channel);
  const why =
    hold === undefined ? words.t('paused') : words.said(holdSentence(hold, (at) => words.minuteOf(at, now)));
  return html`<span class="bad">${shown(why)}</span>`;
}

function diskText(disk: NodeFacts['disk'], words: Words): string {
  if (disk === undefined) return words.t('not known');
  const gigabytes = (bytes: number): string => words.number(Math.round(bytes / 1e8) / 10);
  return words.t('{free} of {size} GB', { free: gigabytes(disk.free), size: gigabytes(disk.size) });
}

/** Lists the other nodes; empty if there are none. */
function nodesPart({ store, now }: Snapshot, words: Words): Html {
  if (store === undefined || store.otherNodes.length === 0) return NOTHING;
  return html`<h2>${words.t('Other nodes')}</h2>
${table<NodeRecord>(words, {
  label: 'Other nodes',
  rows: store.otherNodes,
  columns: [
    { name: 'Node', cell: ({ name }) => shown(name) },
    { name: 'Version', cell: ({ version }) => version },
    {
      name: 'Last report',
      cell: ({ heardAt }) =>
        html`${timePart(heardAt, words)}\
${isSilent(heardAt, now) ? html` <span class="bad">${words.t('silent')}</span>` : NOTHING}`,
    },
    { name: 'Processes', cell: ({ processes }) => processes, kind: 'number' },
    {
      name: 'Providers',
      cell: ({ circuits }) =>
        circuits.map(({ channel, isOpen }) => `${channel} ${isOpen ? words.t('paused') : 'OK'}`).join(', '),
    },
    { name: 'Free disk space', cell: ({ disk }) => diskText(disk, words) },
  ],
})}`;
}

/** Returns the workers of all nodes: the store knows who has leased messages. */
function sendingText(store: Snapshot['store'], words: Words): string {
  if (store === undefined) return words.t('not known');
  if (store.workers.length === 0) return words.t('idle');
  return store.workers.map(({ owner, messages }) => `${owner}: ${words.number(messages)}`).join(', ');
}
