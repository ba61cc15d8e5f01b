import { type Condition, troublesOf } from '../../../src/admin/console/condition';
import type { FigurePoint, NodeRecord } from '../../../src/store';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;

const store = { backlog: [], workers: [], heldAreas: [], lately: [], otherNodes: [] };
const node = {
  version: '1.2.3',
  processes: 1,
  circuits: [
    { channel: 'sms', isOpen: false },
    { channel: 'push', isOpen: false },
  ],
  disk: { free: 50e9, size: 100e9 },
} as const;
const WELL: Condition = {
  store,
  node,
  findings: [],
  unsent: [],
};
/** Messages and calls of the last minutes. */
const lately = (point: Partial<FigurePoint>): Condition => ({
  ...WELL,
  store: {
    ...store,
    lately: [{ at: NOW - MINUTE, requests: [], errors: [], settled: [], sent: [], ...point }],
  },
});
const ended = (channel: 'sms' | 'push', sent: number, failed: number, expired = 0): Condition =>
  lately({
    settled: [
      { channel, state: 'sent', messages: sent },
      { channel, state: 'failed', messages: failed },
      { channel, state: 'expired', messages: expired },
    ],
  });
const called = (ok: number, failed: number): Condition => {
  const names = { operation: 'GetTokenDevice', binding: 'soap11' };
  return lately({
    requests: [
      { ...names, outcome: 'ok', requests: ok },
      { ...names, outcome: 'server_error', requests: failed },
    ],
  });
};
const waiting = (channel: 'sms' | 'push', minutes: number): Condition => ({
  ...WELL,
  store: { ...store, backlog: [{ channel, messages: 1200, oldestCreatedAt: NOW - minutes * MINUTE }] },
});

const told = (condition: Condition) =>
  troublesOf(condition, NOW).map(({ level, what }) => `${level}: ${what}`);

it('finds nothing wrong where all is well', () => {
  expect(told(WELL)).toEqual([]);
  expect(told(waiting('sms', 0.5))).toEqual([]);
  expect(told(beside({ heardAt: NOW - 2 * MINUTE }))).toEqual([]);
  expect(told(waiting('push', 30))).toEqual([]);
  expect(told(ended('sms', 100, 1, 1))).toEqual([]);
  expect(told(ended('push', 80, 20))).toEqual([]);
  expect(told(ended('push', 0, 20))).toEqual([]);
  expect(told(called(0, 2))).toEqual([]);
  expect(told(called(95, 5))).toEqual([]);
  expect(told({ ...WELL, node: { ...node, oldServerAnswers: true } })).toEqual([]);
});

const beside = (other: Partial<NodeRecord>): Condition => ({
  ...WELL,
  store: { ...store, otherNodes: [{ ...node, name: 'b:8080', heardAt: NOW - MINUTE, ...other }] },
});

it.each<readonly [string, Condition, string]>([
  [
    'an open circuit of another node',
    beside({ circuits: [{ channel: 'sms', isOpen: true }] }),
    'bad: Node b:8080: The provider of SMS does not work, and is left alone for now.',
  ],
  [
    'a node that says nothing any more, whatever it said last',
    beside({ heardAt: NOW - 10 * MINUTE, circuits: [{ channel: 'sms', isOpen: true }] }),
    'warn: Node b:8080 was not heard of for 10 min.',
  ],
  ['a store that does not answer', { ...WELL, store: undefined }, 'bad: The database does not answer.'],
  [
    'codes that failed',
    ended('sms', 215, 50, 1),
    'bad: 51 of 266 SMS of the last ten minutes did not reach anybody.',
  ],
  [
    'push messages of which many failed',
    ended('push', 79, 21),
    'warn: 21 of 100 push messages of the last ten minutes did not reach anybody.',
  ],
  ['calls that failed', called(94, 6), 'bad: 6 of 100 calls of the last ten minutes failed.'],
  [
    'messages that only go to a file',
    { ...WELL, unsent: ['sms', 'push'] },
    'bad: Nothing is sent: SMS and push messages are only written to a file.',
  ],
  ['codes that wait', waiting('sms', 2), 'bad: 1,200 SMS wait, the oldest for 2 min.'],
  [
    'notes that wait for long',
    waiting('push', 90),
    'warn: 1,200 push messages wait, the oldest for 1 h 30 min.',
  ],
  [
    'an open circuit',
    { ...WELL, node: { ...node, circuits: [{ channel: 'push', isOpen: true }] } },
    'bad: The provider of push messages does not work, and is left alone for now.',
  ],
  [
    'an old server that does not answer',
    { ...WELL, node: { ...node, oldServerAnswers: false } },
    'bad: The old server (OLD_URL) does not answer.',
  ],
  [
    'a disk that fills up',
    { ...WELL, node: { ...node, disk: { free: 5e9, size: 100e9 } } },
    'warn: The disk of the data folder (DATA_DIR) has 5.0 GB left.',
  ],
  [
    'a disk that is nearly full',
    { ...WELL, node: { ...node, disk: { free: 0.5e9, size: 100e9 } } },
    'bad: The disk of the data folder (DATA_DIR) has 0.5 GB left.',
  ],
  [
    'more codes than usual',
    {
      ...WELL,
      store: {
        ...store,
        heldAreas: [{ area: 'LV', caller: '', codes: 80, heldFrom: NOW, heldUntil: NOW + MINUTE }],
      },
    },
    'warn: More codes than usual were asked for in LV.',
  ],
  [
    'a setting',
    { ...WELL, findings: [{ level: 'error', message: 'X is wrong' }] },
    'bad: A setting cannot be used.',
  ],
])('tells of %s', (_what, condition, expected) => {
  expect(told(condition)).toEqual([expected]);
});

it('has what is worst first, and warnings of settings as one', () => {
  const finding = { level: 'warn', message: 'worth knowing' } as const;
  expect(told({ ...WELL, store: undefined, findings: [finding, finding] })).toEqual([
    'bad: The database does not answer.',
    'warn: The settings have 2 warnings.',
  ]);
});
