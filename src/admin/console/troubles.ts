import {
  type Backlog,
  holdsCode,
  type MessageChannel,
  type NodeFacts,
  type NodeRecord,
  SILENT_MS,
} from '../../store';
import type { Condition, StoreCondition } from './condition';
import { numberText, PROGRAM_NAME } from '../../support/text';
import { durationText } from './time-text';

/** Something that is wrong or soon will be, in words, with what to do. */
export interface Trouble {
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

/** What is wrong, the worst first; empty where all is well. */
export function troublesOf({ store, node, findings }: Condition, now: number): readonly Trouble[] {
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

function ofStore({ backlog, heldAreas }: StoreCondition, now: number): readonly Trouble[] {
  return [
    ...backlog.flatMap((waiting) => ofBacklog(waiting, now)),
    ...(heldAreas.length === 0
      ? []
      : [
          {
            level: 'warn' as const,
            what: `More codes than usual were asked for in ${heldAreas.map(({ area }) => area).join(', ')}.`,
            todo: 'Somebody may be making money with your SMS. Look at who asks for them; docs/delivery.md says what PUMPING_GUARD does.',
            link: ['/messages?channel=sms&newer-than=1d', 'The codes of the last day'] as const,
          },
        ]),
  ];
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
      link: [`/messages?channel=${channel}&state=queued`, 'What waits'],
    },
  ];
}

/** Whether a node has said nothing for longer than it should. */
export function isSilent(heardAt: number, now: number): boolean {
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
function ofNode({ circuits, disk }: NodeFacts, where = ''): readonly Trouble[] {
  const troubles = [
    ...circuits.filter(({ isOpen }) => isOpen).map(ofCircuit),
    ...(disk === undefined ? [] : ofDisk(disk)),
  ];
  return troubles.map((trouble) => ({ ...trouble, what: where + trouble.what }));
}

function ofCircuit({ channel }: NodeFacts['circuits'][number]): Trouble {
  return {
    level: 'bad',
    what: `The provider of ${NAMES[channel]} does not work, and is left alone for now.`,
    todo: `One message tries it every half minute, and all go on by themselves when it works. Look at the reasons; ${PROGRAM_NAME} check tries the connection.`,
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
