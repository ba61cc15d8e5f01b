import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { loadConfig } from '../../../src/config';
import { ALERT_RULES } from '../../../src/features/backups/alert-rules';
import { englishText } from '../../../src/support/phrase';
import { HOUR, NOW, stored } from '../../admin/alerts/snapshots';
import { useDatabase } from '../../harness/test-databases';

describe('the last good backup', () => {
  const database = useDatabase('sqlite', { per: 'block' });

  it.each([
    [24, []],
    [36, []],
    [37, ['BackupTooOld: The last good backup started 1 d 13 h ago.']],
  ])('of %d hours ago', async (hours, expected) => {
    const store = await database.open();
    jest.spyOn(store.backups, 'last').mockResolvedValue({ at: NOW - hours * HOUR, file: 'one.db' });
    const [rule] = ALERT_RULES;
    const matches = await rule?.search?.(store, NOW, loadConfig({}));
    const alerts = activeAlerts(stored({ found: new Map([['BackupTooOld', matches ?? []]]) }));
    expect(alerts.map(({ rule: { name }, description }) => `${name}: ${englishText(description)}`)).toEqual(
      expected,
    );
  });
});
