import { html, type Html, NOTHING } from '../../asmx';
import {
  type Backlog,
  type BusyWorker,
  type FigurePoint,
  type HeldArea,
  holdsCode,
  MESSAGE_CHANNELS,
  type MessageChannel,
  type NodeFacts,
  type NodeRecord,
  SILENT_MS,
  type Store,
} from '../../store';
import type { Config } from '../../config';
import type { Finding } from '../../support/errors';
import { PROGRAM_NAME } from '../../support/program-name';
import { numberText, shown } from '../../support/text';
import { inTime } from '../history/minute-figures';
import { type Node, readNodeFacts } from '../history/nodes';
import { facts, table, timePart } from './console-page';
import { durationText, type TimeText } from '../reports/time-text';

/** Something that is wrong or soon will be, in words, with what to do. */
interface Trouble {
  readonly level: 'bad' | 'warn';
  readonly what: string;
  readonly todo: string;
  /** Page of the console that shows more. */
  readonly link?: readonly [path: string, text: string];
}

const NAMES: Readonly<Record<MessageChannel, string>> = {
  sms: 'SMS',
  push: 'push messages',
  mark: 'requests for notes',
};
/** A code is worth something for five minutes. */
const LATE_CODE_MS = 60_000;
const LATE_NOTE_MS = 60 * 60_000;
const GIGABYTE = 1e9;
const MINUTE_MS = 60_000;
const LATELY_MS = 10 * MINUTE_MS;
/** Channels whose messages people get, and the settings that say how. */
const CHANNEL_SETTINGS = { sms: 'SMS_CHANNEL', push: 'PUSH_CHANNEL' } as const;
const CHANNELS_OF_PEOPLE = ['sms', 'push'] as const;

/** What is wrong, the worst first; empty where all is well. */
export function troublesOf({ store, node, findings, unsent }: Condition, now: number): readonly Trouble[] {
  const all: readonly Trouble[] = [
    ...(store === undefined
      ? [
          {
            level: 'bad' as const,
            what: 'The database does not answer.',
            todo: 'Calls are refused until it does, and nothing is sent. Look at the database and its disk; the service’s log says what it answers.',
          },
        ]
      : ofStore(store, now)),
    ...(unsent.length === 0 ? [] : [ofUnsent(unsent)]),
    ...ofNode(node),
    ...(store?.otherNodes ?? []).flatMap((other) => ofOtherNode(other, now)),
    ...ofSettings(findings),
  ];
  return all.toSorted((one, other) => Number(one.level === 'warn') - Number(other.level === 'warn'));
}

/** Each thing that does not work; what is only worth knowing stands on a page of its own. */
function ofSettings(findings: Condition['findings']): readonly Trouble[] {
  const link = ['/settings', 'The settings'] as const;
  const warnings = findings.filter(({ level }) => level === 'warn').length;
  return [
    ...findings
      .filter(({ level }) => level !== 'warn')
      .map(({ message }): Trouble => ({
        level: 'bad',
        what: 'A setting cannot be used.',
        todo: `${message}. Change it, and start the service again.`,
        link,
      })),
    ...(warnings === 0
      ? []
      : [
          {
            level: 'warn' as const,
            what: `The settings have ${String(warnings)} ${warnings === 1 ? 'warning' : 'warnings'}.`,
            todo: 'None keeps the service from working; each says what to do.',
            link,
          },
        ]),
  ];
}

/** Messages that end as sent, and are not. */
function ofUnsent(channels: Condition['unsent']): Trouble {
  const names = channels.map((channel) => NAMES[channel]).join(' and ');
  const settings = channels.map((channel) => `${channel.toUpperCase()}_CHANNEL`).join(' and ');
  return {
    level: 'bad',
    what: `Nothing is sent: ${names} are only written to a file.`,
    todo: `That is for trying the service. Set ${settings} so that they reach people; docs/delivery.md says how.`,
  };
}

function ofStore({ backlog, heldAreas, lately }: StoreCondition, now: number): readonly Trouble[] {
  return [
    ...ofEnds(lately),
    ...ofCalls(lately),
    ...backlog.flatMap((waiting) => ofBacklog(waiting, now)),
    ...(heldAreas.length === 0
      ? []
      : [
          {
            level: 'warn' as const,
            what: `More codes than usual were asked for in ${heldAreas.map(({ area }) => area).join(', ')}.`,
            todo: 'Somebody may be making money with your SMS. Look at who asks for them; docs/texts-and-hours.md says what PUMPING_GUARD does.',
            link: ['/messages?channel=sms&newer-than=1d', 'The codes of the last day'] as const,
          },
        ]),
  ];
}

/** By the same bounds as the alerts CodesFail and PushesFail. */
function ofEnds(lately: readonly FigurePoint[]): readonly Trouble[] {
  const settled = lately.flatMap((point) => point.settled);
  return CHANNELS_OF_PEOPLE.flatMap((channel): readonly Trouble[] => {
    const ends = settled.filter((each) => each.channel === channel);
    const all = sumOf(ends);
    const failed = sumOf(ends.filter(({ state }) => state === 'failed' || state === 'expired'));
    const isBad = holdsCode(channel) ? failed > 2 : all > 20 && failed > all * 0.2;
    if (!isBad) return [];
    return [
      {
        level: holdsCode(channel) ? 'bad' : 'warn',
        what: `${numberText(failed)} of ${numberText(all)} ${NAMES[channel]} of the last ten minutes did not reach anybody.`,
        todo: 'Each says why, and what to do about it.',
        link: [`/messages?channel=${channel}&newer-than=1h`, 'Those of the last hour'],
      },
    ];
  });
}

/** By the same share as the alert RequestsFail. */
function ofCalls(lately: readonly FigurePoint[]): readonly Trouble[] {
  const requests = lately.flatMap((point) => point.requests);
  const all = requests.reduce((sum, each) => sum + each.requests, 0);
  const failed = requests
    .filter(({ outcome }) => outcome === 'server_error')
    .reduce((sum, each) => sum + each.requests, 0);
  if (failed <= 2 || failed <= all * 0.05) return [];
  return [
    {
      level: 'bad',
      what: `${numberText(failed)} of ${numberText(all)} calls of the last ten minutes failed.`,
      todo: 'The log has a line of each, with the cause.',
      link: ['/requests', 'Requests'],
    },
  ];
}

function sumOf(ends: FigurePoint['settled']): number {
  return ends.reduce((sum, { messages }) => sum + messages, 0);
}

function ofBacklog({ channel, messages, oldestCreatedAt }: Backlog, now: number): readonly Trouble[] {
  const age = now - oldestCreatedAt;
  const isCode = holdsCode(channel);
  if (age < (isCode ? LATE_CODE_MS : LATE_NOTE_MS)) return [];
  return [
    {
      level: isCode ? 'bad' : 'warn',
      what: `${numberText(messages)} ${NAMES[channel]} wait, the oldest for ${durationText(age)}.`,
      todo: isCode
        ? 'Codes are to go within seconds: look at their reasons, and whether a process delivers (ROLE=all or ROLE=worker).'
        : 'That is as it should be in quiet hours, and while a school’s data is not loaded; otherwise their reasons say more.',
      link: [`/messages?channel=${channel}&state=queued&newer-than=any`, 'What waits'],
    },
  ];
}

/** Whether a node has said nothing for longer than it should. */
function isSilent(heardAt: number, now: number): boolean {
  return now - heardAt > SILENT_MS;
}

function ofOtherNode(node: NodeRecord, now: number): readonly Trouble[] {
  const { name, heardAt } = node;
  // What it said then is of the past.
  if (!isSilent(heardAt, now)) return ofNode(node, `Node ${name}: `);
  return [
    {
      level: 'warn',
      what: `Node ${name} was not heard of for ${durationText(now - heardAt)}.`,
      todo: 'Look whether it runs and reaches the database. One that was taken away without being stopped is forgotten after a day.',
    },
  ];
}

/** @param where - said before what is wrong; nothing for the node whose console it is */
function ofNode({ circuits, disk, oldServerAnswers }: NodeFacts, where = ''): readonly Trouble[] {
  const troubles = [
    ...circuits.filter(({ isOpen }) => isOpen).map(ofCircuit),
    ...(oldServerAnswers === false ? [OLD_SERVER_SILENT] : []),
    ...(disk === undefined ? [] : ofDisk(disk)),
  ];
  return troubles.map((trouble) => ({ ...trouble, what: where + trouble.what }));
}

const OLD_SERVER_SILENT: Trouble = {
  level: 'bad',
  what: 'The old server (OLD_URL) does not answer.',
  todo: 'What it is to answer ends with status 502. Look whether it runs, and whether OLD_URL leads to it; CUTOVER_FILE has calls answered here.',
};

function ofCircuit({ channel }: NodeFacts['circuits'][number]): Trouble {
  return {
    level: 'bad',
    what: `The provider of ${NAMES[channel]} does not work, and is left alone for now.`,
    todo: `One message tries it every 15 seconds, and all go on by themselves when it works. Look at the reasons; ${PROGRAM_NAME} check tries the connection.`,
    link: [`/messages?channel=${channel}&newer-than=1h`, 'Those of the last hour'],
  };
}

function ofDisk({ free, size }: NonNullable<NodeFacts['disk']>): readonly Trouble[] {
  const share = free / size;
  const left = `${(free / GIGABYTE).toFixed(1)} GB`;
  if (share >= 0.1 || free >= 20 * GIGABYTE) return [];
  return [
    {
      level: share < 0.03 || free < GIGABYTE ? 'bad' : 'warn',
      what: `The disk of the data folder (DATA_DIR) has ${left} left.`,
      todo: 'When it is full, nothing is taken on any more. Make room, or have messages removed earlier (KEEP_MESSAGES_DAYS).',
    },
  ];
}

/** How the service is at a moment. */
export interface Condition {
  /** What the store knows; undefined where it does not answer in time. */
  readonly store: StoreCondition | undefined;
  /** The node whose console this is, as it is now. */
  readonly node: NodeFacts;
  /** What is wrong with the settings, or worth knowing of them. */
  readonly findings: readonly Finding[];
  /** Channels whose messages go to a file instead of people. */
  readonly unsent: readonly MessageChannel[];
}

interface StoreCondition {
  readonly backlog: readonly Backlog[];
  readonly workers: readonly BusyWorker[];
  readonly heldAreas: readonly HeldArea[];
  /** What was counted in the last ten minutes, but for the minute that is not over. */
  readonly lately: readonly FigurePoint[];
  /** As they said within the last minute, or when they were heard of last. */
  readonly otherNodes: readonly NodeRecord[];
}

/** Looks at everything, and waits for nothing long. */
export async function readCondition(
  store: Store,
  node: Node,
  { findings, config }: { readonly findings: readonly Finding[]; readonly config: Config },
  now: number,
): Promise<Condition> {
  const [ofStore, facts] = await Promise.all([inTime(readStore(store, node, now)), readNodeFacts(node)]);
  const unsent = CHANNELS_OF_PEOPLE.filter(
    (channel) => config[CHANNEL_SETTINGS[channel]] === 'file' && config.ROLE !== 'web',
  );
  return { store: ofStore, node: facts, findings, unsent };
}

async function readStore(store: Store, { name: own }: Node, now: number): Promise<StoreCondition> {
  await store.ping();
  return {
    backlog: await store.outbox.backlog(),
    workers: await store.outbox.busyWorkers(),
    heldAreas: await store.codeTraffic.heldSince(now),
    lately: await store.figures.read({ from: now - LATELY_MS, to: now, stepMs: MINUTE_MS }),
    otherNodes: (await store.nodes.list()).filter(({ name }) => name !== own),
  };
}

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
        cell: ({ channel }) =>
          html`<a href="/messages?channel=${channel}&amp;state=queued&amp;newer-than=any">${channel}</a>`,
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

function servicePart({ store, node, unsent }: Condition): Html {
  const { circuits, processes, disk, version } = node;
  return facts('Service', [
    [
      'Database',
      store === undefined
        ? html`<span class="bad">does not answer</span>`
        : html`<span class="good">answers</span>`,
    ],
    ...circuits.map((circuit) => [`Provider of ${circuit.channel}`, providerText(circuit, unsent)] as const),
    ['Processes', numberText(processes)],
    ['Sending now', sendingText(store)],
    ['Disk left', diskText(disk)],
    ['Version', version],
  ]);
}

function providerText({ channel, isOpen }: NodeFacts['circuits'][number], unsent: Condition['unsent']): Html {
  if (unsent.includes(channel)) return html`<span class="bad">a file: nothing is sent</span>`;
  return isOpen ? html`<span class="bad">left alone</span>` : html`<span class="good">in use</span>`;
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
