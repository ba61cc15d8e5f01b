import { type Match, shareText } from '../../admin/alerts/match';
import type { AlertRule } from '../../admin/alerts/rule';
import type { Snapshot } from '../../admin/alerts/snapshot';
import { PROGRAM_NAME } from '../../support/program-name';

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'CodesUndelivered',
    severity: 'warning',
    expr: `sum by (job, gateway) (increase(delivery_receipts_total{result="undelivered"}[1d]))
            / sum by (job, gateway) (increase(delivery_receipts_total{result=~"delivered|undelivered"}[1d])) > 0.2
          and sum by (job, gateway) (increase(delivery_receipts_total{result=~"delivered|undelivered"}[1d])) > 50`,
    forMinutes: 15,
    summary: 'Many SMS of the gateway {gateway} do not arrive',
    description: '{value} of the SMS with a receipt within 24 hours were not delivered.',
    format: 'humanizePercentage',
    advice:
      'Open the sent codes: each receipt has the gateway’s code. Ask the provider, or change the route.',
    link: ['/messages?channel=sms&state=sent&newer-than=1d', 'Sent codes of the last 24 hours'],
    find: (snapshot) => receiptShares(snapshot, ['undelivered'], ['delivered', 'undelivered'], 0.2),
  },
  {
    name: 'ReceiptsNotUnderstood',
    severity: 'warning',
    expr: `sum by (job, gateway) (increase(delivery_receipts_total{result="unreadable"}[1d]))
            / sum by (job, gateway) (increase(delivery_receipts_total{result=~"delivered|undelivered|waiting|unreadable"}[1d])) > 0.5
          and sum by (job, gateway) (increase(delivery_receipts_total{result=~"delivered|undelivered|waiting|unreadable"}[1d])) > 50`,
    forMinutes: 15,
    summary: 'Receipts of the gateway {gateway} are not understood',
    description: '{value} of its receipts within 24 hours match no rule in GATEWAYS_FILE.',
    format: 'humanizePercentage',
    advice:
      `Save one call of the gateway to a file and try it with ${PROGRAM_NAME} gateways receipt; then correct "receipts".` as const,
    link: ['/messages?channel=sms&state=sent&newer-than=1d', 'Sent codes of the last 24 hours'],
    find: (snapshot) =>
      receiptShares(snapshot, ['unreadable'], ['delivered', 'undelivered', 'waiting', 'unreadable'], 0.5),
  },
];

/** Finds gateways of whose receipts within 24 hours more than a share have some results, of more than 50. */
function receiptShares(
  { store }: Snapshot,
  some: readonly string[],
  all: readonly string[],
  share: number,
): readonly Match[] {
  const receipts = (store?.hours ?? []).flatMap((point) => point.receipts);
  const count = (gateway: string, results: readonly string[]): number =>
    receipts
      .filter((each) => each.gateway === gateway && results.includes(each.result))
      .reduce((sum, each) => sum + each.receipts, 0);
  return [...new Set(receipts.map(({ gateway }) => gateway))]
    .map((gateway) => ({ gateway, part: count(gateway, some), whole: count(gateway, all) }))
    .filter(({ part, whole }) => whole > 50 && part > whole * share)
    .map(({ gateway, part, whole }) => ({ labels: { gateway }, value: shareText(part, whole) }));
}
