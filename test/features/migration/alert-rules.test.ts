import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { SILENT_MS } from '../../../src/store';
import { beside, NOW, onNode } from '../../admin/alerts/snapshots';

const FAILS = { oldServerAnswers: false };

it.each([
  ['this node', onNode(FAILS), ['OldServerFails']],
  ['another node', beside({ ...FAILS, heardAt: NOW - SILENT_MS }), ['OldServerFails']],
  ['a silent node', beside({ ...FAILS, heardAt: NOW - SILENT_MS - 1 }), ['NodeSilent']],
])('an old server that does not answer %s', (_who, snapshot, expected) => {
  expect(activeAlerts(snapshot).map(({ rule }) => rule.name)).toEqual(expected);
});
