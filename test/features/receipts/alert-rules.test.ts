import { activeAlerts } from '../../../src/admin/alerts/alerts';
import type { Snapshot } from '../../../src/admin/alerts/snapshot';
import { englishText } from '../../../src/support/phrase';
import { HOUR, NOW, stored } from '../../admin/alerts/snapshots';

/** Receipts of a gateway, some hours ago. */
const receipts = (delivered: number, undelivered: number, more = 0, third = 'early'): Snapshot =>
  stored({
    hours: [delivered, undelivered, more].map((count, at) => ({
      ...{ at: NOW - (at + 1) * HOUR, requests: [], errors: [], forwarded: [], settled: [], attempts: [] },
      sent: [],
      receipts: [
        { gateway: 'own', result: ['delivered', 'undelivered', third][at] ?? '', receipts: count },
        { gateway: 'other', result: 'delivered', receipts: 100 },
      ],
    })),
  });
const found = (snapshot: Snapshot): readonly string[] =>
  activeAlerts(snapshot).map(
    ({ key, rule, description }) => `${rule.severity} ${key}: ${englishText(description)}`,
  );

it.each([
  ['a fifth of the receipts of a day say that the SMS did not arrive', receipts(80, 20, 500)],
  ['few receipts of a day say that the SMS arrived', receipts(0, 50)],
])('reports nothing while %s', (_what, snapshot) => {
  expect(found(snapshot)).toEqual([]);
});

it.each([
  [
    receipts(79, 21, 500),
    'warning CodesUndelivered own: 21 of 100 (21%) of the SMS with a receipt within 24 hours were not delivered.',
  ],
  [
    receipts(40, 9, 51, 'unreadable'),
    'warning ReceiptsNotUnderstood own: 51 of 100 (51%) of its receipts within 24 hours match no rule in GATEWAYS_FILE.',
  ],
])('reports what the gateway itself counts: case %#', (snapshot, text) => {
  expect(found(snapshot)).toEqual([text]);
});
