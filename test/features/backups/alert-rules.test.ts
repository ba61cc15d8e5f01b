import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { englishText } from '../../../src/support/phrase';
import { HOUR, NOW, stored } from '../../admin/alerts/snapshots';

it.each([
  [36, []],
  [37, ['BackupTooOld: The last good backup started 1 d 13 h ago.']],
])('a backup %d hours ago', (hours, expected) => {
  const alerts = activeAlerts(stored({ lastBackupAt: NOW - hours * HOUR }));
  expect(alerts.map(({ rule, description }) => `${rule.name}: ${englishText(description)}`)).toEqual(
    expected,
  );
});
