import type { NodeRecord } from '../../store';
import { duration } from '../reports/duration';
import type { Match } from './match';
import type { AlertRule } from './rule';
import { isSilent, type Snapshot } from './snapshot';
import { DAY_MS, HOUR_MS } from '../../support/durations';

export const MACHINE_RULES: readonly AlertRule[] = [
  {
    name: 'StoreFails',
    severity: 'critical',
    expr: 'sum by (job, trouble) (rate(service_store_write_failures_total{trouble!="conflict"}[5m])) > 0',
    forMinutes: 2,
    summary: 'Database writes fail: {trouble}',
    description:
      'Transactions fail with the error {trouble}. Callers got an error and nothing of them was stored.',
    advice: 'Check the database and its disk. The log of the service has the error.',
  },
  {
    name: 'StoreSlow',
    severity: 'warning',
    expr: 'histogram_quantile(0.99, sum by (job, le) (rate(service_store_write_seconds_bucket[10m]))) > 0.5',
    forMinutes: 10,
    summary: 'Database writes are slow',
    description: '1% of the transactions take longer than {value}.',
    format: 'humanizeDuration',
    advice: 'Check what else uses the disk, and whether an import or a backup runs.',
  },
  {
    name: 'TwoPrimaries',
    severity: 'critical',
    expr: 'max by (job, server) (service_second_primary) == 1',
    summary: 'The PostgreSQL server {server} accepts writes beside the primary',
    description:
      'Data written to {server} is missing from the primary. This service uses the server with the highest timeline.',
    advice:
      'Stop that server, save what was written only there, and make it a standby: see docs/several-nodes.md.',
    find: ({ secondPrimaries }) => secondPrimaries.map((server) => ({ labels: { server } })),
  },
  {
    name: 'DiskLow',
    severity: 'warning',
    expr: `service_disk_free_bytes / service_disk_size_bytes < 0.15
          and service_disk_free_bytes < 20e9`,
    forMinutes: 10,
    summary: 'The disk of {instance} is filling up',
    description: '{value} of the disk with DATA_DIR is free.',
    format: 'humanizePercentage',
    advice: 'Free space or lower KEEP_MESSAGES_DAYS.',
    find: (snapshot) => disksBelow(snapshot, 0.15, 0.05),
  },
  {
    name: 'DiskNearlyFull',
    severity: 'critical',
    expr: `service_disk_free_bytes / service_disk_size_bytes < 0.05
          and service_disk_free_bytes < 20e9`,
    forMinutes: 2,
    summary: 'The disk of {instance} is almost full',
    description:
      '{value} of the disk with DATA_DIR is free. When the disk is full, new messages are rejected.',
    format: 'humanizePercentage',
    advice: 'Free space now, or lower KEEP_MESSAGES_DAYS.',
    find: (snapshot) => disksBelow(snapshot, 0.05),
  },
  {
    name: 'EventLoopLags',
    severity: 'warning',
    expr: 'nodejs_eventloop_lag_p99_seconds > 0.25',
    forMinutes: 10,
    summary: '{instance} is overloaded',
    description: 'The event loop lags by {value}, and every request waits that long.',
    format: 'humanizeDuration',
    advice: 'Raise PROCESSES or add a node.',
  },
  {
    name: 'ProcessesDie',
    severity: 'warning',
    expr: 'increase(service_processes_replaced_total[30m]) > 2',
    summary: 'Processes of {instance} crash',
    description: '{value} processes crashed within 30 minutes and were replaced.',
    advice: 'The log has the exit code or signal of each.',
  },
  {
    name: 'ServiceRestarts',
    severity: 'warning',
    expr: 'changes(service_start_time_seconds[1h]) > 3',
    summary: '{instance} restarts repeatedly',
    description: 'It was started {value} times within an hour.',
    advice: 'The log has the reason before each start.',
  },
  {
    name: 'NodeSilent',
    severity: 'warning',
    expr: 'time() - max by (job, node) (service_node_heard_timestamp_seconds) > 180',
    forMinutes: 1,
    summary: 'Node {node} is silent',
    description: 'Node {node} last reported {value} ago and did not shut down cleanly.',
    format: 'humanizeDuration',
    advice:
      'Check that it runs and reaches the database. A node that was removed is forgotten after 24 hours.',
    find: ({ now, store }) =>
      (store?.otherNodes ?? [])
        .filter(({ heardAt }) => isSilent(heardAt, now))
        .map(({ name, heardAt }) => ({ labels: { node: name }, value: duration(now - heardAt) })),
  },
  {
    name: 'ClockJumped',
    severity: 'warning',
    expr: 'time() - service_clock_jump_timestamp_seconds < 3600',
    summary: 'The clock of {instance} jumped',
    description:
      'The system clock was changed by more than 30 seconds within the last hour. Codes may have expired early or late.',
    advice: 'Check time synchronization (timedatectl), and whether the machine was suspended.',
    find: (snapshot) =>
      snapshot.speakingNodes
        .filter(({ clockJumpedAt }) => clockJumpedAt !== undefined && snapshot.now - clockJumpedAt < HOUR_MS)
        .map(({ name }) => ({ labels: { instance: name } })),
  },
  {
    name: 'CertificateEnds',
    severity: 'warning',
    expr: 'service_tls_certificate_end_timestamp_seconds - time() < 14 * 86400',
    summary: 'The certificate of {instance} expires soon',
    description: 'It expires in {value}.',
    format: 'humanizeDuration',
    advice: 'Renew the certificate (TLS_CERT_FILE) and reload the service.',
    find: (snapshot) => certificatesEnding(snapshot, 14 * DAY_MS, 2 * DAY_MS),
  },
  {
    name: 'CertificateEndsNow',
    severity: 'critical',
    expr: 'service_tls_certificate_end_timestamp_seconds - time() < 2 * 86400',
    summary: 'The certificate of {instance} is about to expire',
    description: 'It expires in {value}. Callers reject an expired certificate.',
    format: 'humanizeDuration',
    advice: 'Renew the certificate (TLS_CERT_FILE) now and reload the service.',
    find: (snapshot) => certificatesEnding(snapshot, 2 * DAY_MS),
  },
  {
    name: 'SettingsFail',
    severity: 'critical',
    summary: 'Settings have errors',
    description: 'Errors: {value}.',
    advice: 'Fix them and restart the service.',
    link: ['/settings', 'Settings'],
    find: ({ findings }) => {
      const errors = findings.filter(({ level }) => level !== 'warn');
      return errors.length === 0 ? [] : [{ value: errors.map(({ message }) => message).join('; ') }];
    },
  },
  {
    name: 'SettingsWarn',
    severity: 'info',
    summary: 'Settings have warnings',
    description: 'Warnings: {value}.',
    advice: 'The service works; each warning says what to do.',
    link: ['/settings', 'Settings'],
    find: ({ findings }) => {
      const warnings = findings.filter(({ level }) => level === 'warn').length;
      return warnings === 0 ? [] : [{ value: warnings }];
    },
  },
];

/**
 * Returns the disks on which less than a share is free, and not less than `floor`. A large disk is never low.
 */
function disksBelow(snapshot: Snapshot, ceiling: number, floor = 0): readonly Match[] {
  const shareOf = ({ disk }: NodeRecord): number =>
    disk === undefined || disk.free >= 20e9 ? 1 : disk.free / disk.size;
  return snapshot.speakingNodes
    .filter((node) => shareOf(node) < ceiling && shareOf(node) >= floor)
    .map((node) => ({
      labels: { instance: node.name },
      value: { text: '{share}%', values: { share: (shareOf(node) * 100).toFixed(1) } },
    }));
}

/** Returns the certificates that expire within a time, and not within `floorMs`. */
function certificatesEnding(snapshot: Snapshot, withinMs: number, floorMs = -Infinity): readonly Match[] {
  const leftMs = ({ certificateEndsAt = Infinity }: NodeRecord): number => certificateEndsAt - snapshot.now;
  return snapshot.speakingNodes
    .filter((node) => leftMs(node) < withinMs && leftMs(node) >= floorMs)
    .map((node) => ({
      labels: { instance: node.name },
      value: leftMs(node) > 0 ? duration(leftMs(node)) : { text: '{n} s', values: { n: 0 } },
    }));
}
