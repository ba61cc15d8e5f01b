import type { Phrase } from '../../support/phrase';
import type { Text } from '../texts/words';
import type { StatsPoint } from '../../store';
import type { Match } from './match';
import type { AlertRule } from './rule';
import { recent, type Snapshot } from './snapshot';

/** Counted for requests that match no operation: favicons, scanners, and what `compare --probe` sends. */
const NO_OPERATION = 'none';

export const REQUEST_RULES: readonly AlertRule[] = [
  {
    name: 'ServiceDown',
    severity: 'critical',
    expr: 'up{job="school-notifications"} == 0',
    forMinutes: 2,
    summary: '{instance} is down',
    description: 'Prometheus could not read /metrics of {instance} for 2 minutes.',
    advice: 'Check that the service runs and that Prometheus can reach ADMIN_PORT.',
  },
  {
    name: 'ServiceMissing',
    severity: 'critical',
    expr: 'absent(up{job="school-notifications"})',
    forMinutes: 10,
    summary: 'Prometheus has no target for the service',
    description: 'No target has the job school-notifications, so no other alert can fire.',
    advice: 'Check scrape_configs in prometheus.yml.',
  },
  {
    name: 'ServiceNotReady',
    severity: 'critical',
    expr: 'min by (job, instance) (service_ready) == 0',
    forMinutes: 2,
    summary: '{instance} cannot use its database',
    description:
      'The process runs, but /readyz of {instance} answers 503: new messages are rejected and none are sent.',
    advice: 'Check the database and its disk. The log of the service has the error.',
    find: ({ store, node }) => (store === undefined ? [{ labels: { instance: node.name } }] : []),
  },
  {
    name: 'RequestsFail',
    severity: 'critical',
    expr: `sum by (job, operation) (rate(service_requests_total{outcome="server_error"}[5m]))
            / sum by (job, operation) (rate(service_requests_total[5m])) > 0.05`,
    forMinutes: 5,
    summary: '{operation} fails',
    description: '{value} of the requests for {operation} failed because of an error in the service.',
    format: 'humanizePercentage',
    advice: 'Look in the log for lines with outcome server_error: err is the cause.',
    link: ['/requests', 'Requests'],
    find: (snapshot) =>
      requestsBy(snapshot, 10, ({ operation }) => ({ operation }))
        .filter(({ all, failed }) => failed > 2 && failed > all * 0.05)
        .map(({ labels, all, failed }) => ({
          ...{ labels, value: share(failed, all) },
          ...(labels['operation'] === NO_OPERATION && {
            summary: { text: 'Requests without an operation fail' },
            description: {
              text: '{value} of the requests that match no operation failed because of an error in the service.',
              values: { value: share(failed, all) },
            },
          }),
        })),
  },
  {
    name: 'CallersSendErrors',
    severity: 'warning',
    expr: `sum by (job, operation, binding) (rate(service_requests_total{outcome="client_error"}[30m]))
            / sum by (job, operation, binding) (rate(service_requests_total{operation!="none"}[30m])) > 0.5
          and sum by (job, operation, binding) (increase(service_requests_total{operation!="none"}[30m])) > 50`,
    forMinutes: 30,
    summary: 'Most {operation} requests over {binding} are rejected',
    description: '{value} of the {operation} requests over {binding} were invalid or not allowed.',
    format: 'humanizePercentage',
    advice: 'See the reasons on the Requests page, then contact the caller.',
    link: ['/requests', 'Requests'],
    find: (snapshot) =>
      requestsBy(snapshot, 30, ({ operation, binding }) => ({ operation, binding }))
        .filter(({ labels }) => labels['operation'] !== NO_OPERATION)
        .filter(({ all, rejected }) => all > 50 && rejected > all * 0.5)
        .map(({ labels, all, rejected }) => ({ labels, value: share(rejected, all) })),
  },
  {
    name: 'AnswersSlow',
    severity: 'warning',
    expr: `histogram_quantile(0.99, sum by (job, operation, le) (
            rate(service_request_duration_seconds_bucket{operation!="none"}[10m]))) > 1`,
    forMinutes: 10,
    summary: '{operation} is slow',
    description: '1% of the requests for {operation} take longer than {value}.',
    format: 'humanizeDuration',
    advice: 'Check the database and the event loop first: see StoreSlow and EventLoopLags.',
  },
  {
    name: 'CallersRefused',
    severity: 'warning',
    expr: 'sum by (job, reason) (rate(service_refusals_total[10m])) > 1',
    forMinutes: 10,
    summary: 'Many requests are refused: {reason}',
    description: '{value} requests per second are refused with the reason {reason}.',
    advice: 'Find the caller on the Callers page. Check its credentials and its limits in ACCESS_FILE.',
    link: ['/callers', 'Callers'],
  },
];

type RequestCount = StatsPoint['requests'][number];

interface RequestGroup {
  readonly labels: NonNullable<Match['labels']>;
  all: number;
  failed: number;
  rejected: number;
}

/** Counts the requests of the last minutes by some of their labels. */
function requestsBy(
  { now, store }: Snapshot,
  minutes: number,
  labelsOf: (count: RequestCount) => RequestGroup['labels'],
): readonly RequestGroup[] {
  const groups = new Map<string, RequestGroup>();
  for (const count of recent(store?.minutes ?? [], now, minutes).flatMap((point) => point.requests)) {
    const labels = labelsOf(count);
    const key = JSON.stringify(labels);
    const group = groups.get(key) ?? { labels, all: 0, failed: 0, rejected: 0 };
    groups.set(key, group);
    group.all += count.requests;
    if (count.outcome === 'server_error') group.failed += count.requests;
    if (count.outcome === 'client_error') group.rejected += count.requests;
  }
  return [...groups.values()];
}

/** Returns a share such as `12%`. */
function share(part: number, all: number): Phrase<Text> {
  return { text: '{n}%', values: { n: Math.round((part / all) * 100) } };
}
