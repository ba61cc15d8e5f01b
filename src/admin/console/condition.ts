import { html, type Html, NOTHING } from '../../asmx';
import type { MessageChannel, NodeFacts, NodeRecord, RecentMessages } from '../../store';
import { numberText, shown } from '../../support/text';
import { activeAlerts } from '../alerts/alerts';
import type { Alert, Severity } from '../alerts/rule';
import { isSilent, type Snapshot } from '../alerts/snapshot';
import { facts, type Seen, table, timePart } from './console-page';
import { failuresPart, tilesPart } from './recent-part';
import type { TimeText } from '../reports/time-text';

/** Classes of the stylesheet. */
const CLASSES: Readonly<Record<Severity, string>> = { critical: 'bad', warning: 'warn', info: 'info' };

/** Shows whether all is well, the last messages, the active alerts, why messages failed, and the nodes. */
export function conditionPart(
  snapshot: Snapshot,
  recent: RecentMessages | undefined,
  time: TimeText,
  seen: Seen,
): Html {
  const alerts = activeAlerts(snapshot);
  const { now } = snapshot;
  return html`<p class="lead">${headline(alerts)} <span class="quiet">At ${time.of(now)} (${time.zone})</span></p>
${recent === undefined ? UNKNOWN : tilesPart(recent, snapshot)}${alerts.length === 0 ? NOTHING : html`<ul class="findings">\n${alerts.map(alertPart)}</ul>\n`}${recent === undefined ? NOTHING : failuresPart(recent, time, seen, now)}<section class="card"><h2>Service</h2>${servicePart(snapshot)}</section>
${nodesPart(snapshot, time)}`;
}

const UNKNOWN = html`<p class="quiet">Messages: unknown, the database is not responding.</p>\n`;

/** Green only while no alert is active; notes alone are calm. */
function headline([worst]: readonly Alert[]): Html {
  if (worst === undefined) return html`<strong class="good">All systems normal</strong>`;
  const { severity } = worst.rule;
  if (severity === 'info') return html`<strong>Running, with notes</strong>`;
  return html`<strong class="${CLASSES[severity]}">Needs attention</strong>`;
}

function alertPart({ rule, summary, description }: Alert): Html {
  const { name, severity, advice, link } = rule;
  const help = html` <a href="/docs/alerts#${name.toLowerCase()}">Help</a>`;
  const more = link === undefined ? NOTHING : html` <a href="${link[0]}">${link[1]}</a>`;
  return html`<li class="${CLASSES[severity]}"><strong>${shown(summary)}.</strong> ${shown(description)} ${advice}${more}${help}</li>\n`;
}

function servicePart({ store, node, fileChannels }: Snapshot): Html {
  const { circuits, processes, disk, version } = node;
  return facts('Service', [
    [
      'Database',
      store === undefined
        ? html`<span class="bad">does not answer</span>`
        : html`<span class="good">answers</span>`,
    ],
    ...circuits.map(
      (circuit) =>
        [
          `${circuit.channel === 'sms' ? 'SMS' : 'Push'} provider`,
          providerText(circuit, fileChannels),
        ] as const,
    ),
    ['Processes', numberText(processes)],
    ['Workers', sendingText(store)],
    ['Disk left', diskText(disk)],
    ['Version', version],
  ]);
}

function providerText(
  { channel, isOpen }: NodeFacts['circuits'][number],
  fileChannels: readonly MessageChannel[],
): Html {
  if (fileChannels.includes(channel)) return html`<span class="warn">a file: nothing is sent</span>`;
  return isOpen ? html`<span class="bad">paused</span>` : html`<span class="good">OK</span>`;
}

function diskText(disk: NodeFacts['disk']): string {
  if (disk === undefined) return 'not known';
  return `${(disk.free / 1e9).toFixed(1)} of ${(disk.size / 1e9).toFixed(1)} GB`;
}

/** Lists the other nodes; empty if there are none. */
function nodesPart({ store, now }: Snapshot, time: TimeText): Html {
  if (store === undefined || store.otherNodes.length === 0) return NOTHING;
  return html`<h2>Other nodes</h2>
${table<NodeRecord>({
  label: 'Other nodes',
  rows: store.otherNodes,
  none: '',
  columns: [
    { name: 'Node', cell: ({ name }) => shown(name) },
    { name: 'Version', cell: ({ version }) => version },
    {
      name: 'Heard of',
      cell: ({ heardAt }) => html`${timePart(heardAt, time)}${isSilent(heardAt, now) ? SILENT : NOTHING}`,
    },
    { name: 'Processes', cell: ({ processes }) => numberText(processes), kind: 'number' },
    { name: 'Providers', cell: ({ circuits }) => circuits.map(circuitText).join(', ') },
    { name: 'Disk left', cell: ({ disk }) => diskText(disk) },
  ],
})}`;
}

const SILENT = html` <span class="bad">not since</span>`;

function circuitText({ channel, isOpen }: NodeFacts['circuits'][number]): string {
  return `${channel} ${isOpen ? 'paused' : 'OK'}`;
}

/** Returns the workers of all nodes: the store knows who has leased messages. */
function sendingText(store: Snapshot['store']): string {
  if (store === undefined) return 'not known';
  if (store.workers.length === 0) return 'idle';
  return store.workers.map(({ owner, messages }) => `${owner}: ${numberText(messages)}`).join(', ');
}
