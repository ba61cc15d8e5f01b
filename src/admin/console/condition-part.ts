import { html, type Html, NOTHING } from '../../asmx';
import { MESSAGE_CHANNELS, type NodeFacts, type NodeRecord } from '../../store';
import { numberText, shown } from '../../support/text';
import type { Condition } from './condition';
import { facts, table, timePart } from './page-parts';
import { durationText, type TimeText } from './time-text';
import { isSilent, type Trouble, troublesOf } from './troubles';

/** Whether it is well, and first of all what is not. */
export function conditionPart(condition: Condition, time: TimeText, now: number): Html {
  const troubles = troublesOf(condition, now);
  const isBad = troubles.some(({ level }) => level === 'bad');
  return html`<p class="lead"><strong class="${isBad ? 'bad' : 'good'}">${isBad ? 'Something is wrong.' : 'All is well.'}</strong> <span class="quiet">At ${time.of(now)} (${time.zone})</span></p>
${troubles.length === 0 ? NOTHING : html`<ul class="findings">\n${troubles.map(troublePart)}</ul>\n`}<div class="cards columns">
<section class="card"><h2>Waiting</h2>${backlogPart(condition, now)}</section>
<section class="card"><h2>Service</h2>${servicePart(condition)}</section>
</div>
${nodesPart(condition, time, now)}`;
}

function troublePart({ level, what, todo, link }: Trouble): Html {
  const more = link === undefined ? NOTHING : html` <a href="${link[0]}">${link[1]}</a>`;
  return html`<li class="${level}"><strong>${shown(what)}</strong> ${todo}${more}</li>\n`;
}

function backlogPart({ store }: Condition, now: number): Html {
  if (store === undefined) return html`<p class="quiet">Nobody knows: the database does not answer.</p>\n`;
  const rows = MESSAGE_CHANNELS.map((channel) => ({
    channel,
    waiting: store.backlog.find((each) => each.channel === channel),
  }));
  return table({
    label: 'Waiting messages',
    rows,
    none: '',
    columns: [
      {
        name: 'Channel',
        cell: ({ channel }) => html`<a href="/messages?channel=${channel}&amp;state=queued">${channel}</a>`,
      },
      { name: 'Messages', cell: ({ waiting }) => numberText(waiting?.messages ?? 0), kind: 'number' },
      {
        name: 'Oldest',
        cell: ({ waiting }) =>
          waiting === undefined ? '' : durationText(Math.max(0, now - waiting.oldestCreatedAt)),
        kind: 'number',
      },
    ],
  });
}

function servicePart({ store, node }: Condition): Html {
  const { circuits, processes, disk, version } = node;
  return facts('Service', [
    [
      'Database',
      store === undefined
        ? html`<span class="bad">does not answer</span>`
        : html`<span class="good">answers</span>`,
    ],
    ...circuits.map(
      ({ channel, isOpen }) =>
        [
          `Provider of ${channel}`,
          isOpen ? html`<span class="bad">left alone</span>` : html`<span class="good">in use</span>`,
        ] as const,
    ),
    ['Processes', numberText(processes)],
    ['Sending now', sendingText(store)],
    ['Disk left', diskText(disk)],
    ['Version', version],
  ]);
}

function diskText(disk: NodeFacts['disk']): string {
  if (disk === undefined) return 'not known';
  return `${(disk.free / 1e9).toFixed(1)} of ${(disk.size / 1e9).toFixed(1)} GB`;
}

/** Those beside the one whose console it is; nothing where there are none. */
function nodesPart({ store }: Condition, time: TimeText, now: number): Html {
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
  return `${channel} ${isOpen ? 'left alone' : 'in use'}`;
}

/** Workers of all nodes: the store knows who has messages leased. */
function sendingText(store: Condition['store']): string {
  if (store === undefined) return 'not known';
  if (store.workers.length === 0) return 'nobody';
  return store.workers.map(({ owner, messages }) => `${owner}: ${numberText(messages)}`).join(', ');
}
