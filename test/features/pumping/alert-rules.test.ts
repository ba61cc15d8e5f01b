import { Registry } from 'prom-client';

import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { readSnapshot } from '../../../src/admin/alerts/snapshot';
import { loadConfig } from '../../../src/config';
import { CodeTraffic } from '../../../src/features/pumping/code-traffic';
import { englishText } from '../../../src/support/phrase';
import { MINUTE, NOW } from '../../admin/alerts/snapshots';
import { useDatabase } from '../../harness/test-databases';

const database = useDatabase('sqlite');

it('reports each destination with too many codes, and the caller, while it is blocked', async () => {
  const store = await database.open();
  const traffic = store.repository(CodeTraffic);
  const block = { blockedFrom: NOW - 20 * MINUTE, blockedUntil: NOW + MINUTE, codes: 80 };
  await traffic.block({ ...block, area: 'n:LV', caller: '' });
  await traffic.block({ ...block, area: 'n', caller: 'portal', blockedFrom: NOW - 5 * MINUTE });
  await traffic.block({ ...block, area: 's:DE', caller: '', blockedUntil: NOW });
  const node = {
    name: 'a:8080',
    version: '1',
    folder: database.folder,
    metrics: { registry: new Registry() },
  };
  const settings = { config: loadConfig({ DATA_DIR: database.folder }), findings: [] };
  const alerts = activeAlerts(await readSnapshot(store, node, settings, NOW));
  expect(
    alerts
      .filter(({ rule }) => rule.name === 'CodesGoAstray')
      .map(({ key, summary, description }) => [key, englishText(summary), englishText(description)]),
  ).toEqual([
    [
      'CodesGoAstray , portal',
      'Unusually many codes went to several countries',
      'Noticed 5 min ago: 80 codes in the 24 hours before, more than usual. This may be SMS pumping fraud.',
    ],
    [
      'CodesGoAstray LV',
      'Unusually many codes went to LV',
      'Noticed 20 min ago: 80 codes in the 24 hours before, more than usual. This may be SMS pumping fraud.',
    ],
  ]);
});
