import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { type Snapshot, withSpeakingNodes } from '../../../src/admin/alerts/snapshot';
import { NO_HOLDS, type NodeRecord, type StatsPoint } from '../../../src/store';

export const NOW = Date.parse('2026-03-02T10:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const STORE: NonNullable<Snapshot['store']> = {
  backlog: [],
  workers: [],
  minutes: [],
  hours: [],
  otherNodes: [],
  loadedSchools: 'others',
  holds: NO_HOLDS,
  codes: { failed: 0, failedNumbers: 0, held: 0, heldNumbers: 0, ended: 0, numbers: 0 },
  found: new Map(),
};
export const NODE: NodeRecord = {
  name: 'a:8080',
  heardAt: NOW,
  version: '1.2.3',
  processes: 1,
  circuits: [
    { channel: 'sms', isOpen: false },
    { channel: 'push', isOpen: false },
  ],
  disk: { free: 50e9, size: 100e9 },
};
export const WELL: Snapshot = withSpeakingNodes({
  now: NOW,
  store: STORE,
  node: NODE,
  secondPrimaries: [],
  findings: [],
  fileChannels: [],
});

export const stored = (store: Partial<typeof STORE>): Snapshot =>
  withSpeakingNodes({ ...WELL, store: { ...STORE, ...store } });
export const onNode = (node: Partial<NodeRecord>): Snapshot =>
  withSpeakingNodes({ ...WELL, node: { ...NODE, ...node } });
export const beside = (other: Partial<NodeRecord>): Snapshot =>
  stored({ otherNodes: [{ ...NODE, name: 'b:8080', heardAt: NOW - MINUTE, ...other }] });
/** Counts of a minute that began some minutes ago. */
export const point = (minutesAgo: number, counts: Partial<StatsPoint>): StatsPoint => ({
  ...{
    at: NOW - minutesAgo * MINUTE,
    requests: [],
    errors: [],
    forwarded: [],
    settled: [],
    attempts: [],
    receipts: [],
    sent: [],
  },
  ...counts,
});
/** The only gateway of each channel. */
export const ROUTES = [
  { channel: 'sms', gateways: ['okulsms'] },
  { channel: 'push', gateways: ['fcm'] },
] as const;

/** Returns the names of the rules that hold. */
export const namesIn = (snapshot: Snapshot): readonly string[] =>
  activeAlerts(snapshot).map(({ rule }) => rule.name);
