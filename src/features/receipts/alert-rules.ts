import { type Match, shareText } from '../../admin/alerts/match';
import type { AlertRule } from '../../admin/alerts/rule';
import type { Snapshot } from '../../admin/alerts/snapshot';
import { PROGRAM_NAME } from '../../support/program-name';

/** Fewer receipts say nothing about a gateway. */
const MIN_RECEIPTS = 50;

export const ALERT_RULES: readonly AlertRule[] = [
  {
    ...receiptShare(['undelivered'], ['delivered', 'undelivered'], 0.2),
    name: 'CodesUndelivered',
    summary: 'Many SMS of the gateway {gateway} do not arrive',
    description: '{value} of the SMS with a receipt within 24 hours were not delivered.',
    advice:
      'Open the sent codes: each receipt has the gateway’s code. Ask the provider, or change the route.',
  },
  {
    ...receiptShare(['unreadable'], ['delivered', 'undelivered', 'waiting', 'unreadable'], 0.5),
    name: 'ReceiptsNotUnderstood',
    summary: 'Receipts of the gateway {gateway} are not understood',
    description: '{value} of its receipts within 24 hours match no rule in GATEWAYS_FILE.',
    advice:
      `Save one call of the gateway to a file and try it with ${PROGRAM_NAME} gateways receipt; then correct "receipts".` as const,
  },
];

/** Returns the rule for gateways of whose receipts within 24 hours more than a share have some results. */
function receiptShare(some: readonly string[], all: readonly string[], share: number) {
  return {
    severity: 'warning',
    expr: `${increaseOf(some)}
            / ${increaseOf(all)} > ${String(share)}
          and ${increaseOf(all)} > ${String(MIN_RECEIPTS)}`,
    forMinutes: 15,
    format: 'humanizePercentage',
    link: ['/messages?channel=sms&state=sent&newer-than=1d', 'Sent codes of the last 24 hours'],
    find: (snapshot: Snapshot) => receiptShares(snapshot, some, all, share),
  } as const;
}

function increaseOf(results: readonly string[]): string {
  const operator = results.length === 1 ? '=' : '=~';
  return `sum by (job, gateway) (increase(delivery_receipts_total{result${operator}"${results.join('|')}"}[1d]))`;
}

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
    .filter(({ part, whole }) => whole > MIN_RECEIPTS && part > whole * share)
    .map(({ gateway, part, whole }) => ({ labels: { gateway }, value: shareText(part, whole) }));
}
