import { duration } from '../../admin/reports/duration';
import type { AlertRule } from '../../admin/alerts/rule';
import { shownArea } from './area-text';

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'CodesGoAstray',
    severity: 'warning',
    expr: 'sum by (job) (increase(delivery_unusual_codes_total[10m])) > 0',
    summary: 'Unusually many codes go to one country or number range',
    description:
      '{value} codes in the last 10 minutes went to destinations with unusual traffic. This may be SMS pumping fraud.',
    advice: 'Check which caller requests these codes. PUMPING_GUARD=enforce blocks them.',
    link: ['/messages?channel=sms&newer-than=1d', 'Codes of the last 24 hours'],
    search: async (store, now) => {
      const { CodeTraffic } = await import('./code-traffic.js');
      const areas = await store.repository(CodeTraffic).blockedSince(now);
      return areas.map(({ area, caller, codes, blockedFrom }) => ({
        labels: { area: shownArea(area), ...(caller !== '' && { caller }) },
        value: codes,
        summary: {
          text: 'Unusually many codes went to {area}',
          values: { area: shownArea(area) || { text: 'several countries' } },
        },
        description: {
          text: 'Noticed {age} ago: {n} codes in the 24 hours before, more than usual. This may be SMS pumping fraud.',
          values: { age: duration(Math.max(1000, now - blockedFrom)), n: codes },
        },
      }));
    },
  },
];
