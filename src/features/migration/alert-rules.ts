import type { AlertRule } from '../../admin/alerts/rule';

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'OldServerFails',
    severity: 'critical',
    expr:
      'sum by (job, outcome) ' +
      '(increase(service_forwarded_requests_total{outcome=~"unreachable|silent|broken"}[5m])) > 5 ' +
      'or min by (job) (service_old_server_answers) == 0',
    summary: 'The old server is not responding',
    description: 'Requests that are forwarded to the old server (OLD_URL) fail with HTTP 502.',
    advice:
      'Check that the old server runs and that OLD_URL is its address. CUTOVER_FILE lets this service answer instead.',
    find: ({ speakingNodes }) =>
      speakingNodes.some(({ oldServerAnswers }) => oldServerAnswers === false) ? [{}] : [],
  },
];
