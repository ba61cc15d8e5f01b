import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { loadConfig } from '../../../src/config';
import { ALERT_RULES } from '../../../src/features/folder/alert-rules';
import type { LastImport } from '../../../src/store';
import { englishText } from '../../../src/support/phrase';
import { DAY, HOUR, NOW, stored } from '../../admin/alerts/snapshots';
import { useDatabase } from '../../harness/test-databases';

const GOOD = { at: NOW, isGood: true, state: 'x', filesAt: NOW - HOUR, report: '' };
const SET = { IMPORT_FOLDER: '/srv/school' };
const FAILS = [
  'warning ImportFails: The last import of IMPORT_FOLDER failed, or its files are more than a day old.',
];

describe('the last import of the folder', () => {
  const database = useDatabase('sqlite');

  it.each<readonly [string, LastImport | undefined, Readonly<Record<string, string>>, readonly string[]]>([
    ['an hour ago', GOOD, SET, []],
    ['that failed', { ...GOOD, isGood: false }, SET, FAILS],
    ['with files of yesterday', { ...GOOD, filesAt: NOW - DAY }, SET, FAILS],
    ['that failed before the setting was removed', { ...GOOD, isGood: false }, {}, []],
    ['that is still to come', undefined, SET, []],
  ])('%s', async (_what, last, settings, expected) => {
    const store = await database.open();
    if (last !== undefined) await store.imports.record(last);
    const [rule] = ALERT_RULES;
    const matches = await rule?.search?.(store, NOW, loadConfig(settings));
    const alerts = activeAlerts(stored({ found: new Map([['ImportFails', matches ?? []]]) }));
    expect(
      alerts.map(
        ({ rule: { name, severity }, description }) => `${severity} ${name}: ${englishText(description)}`,
      ),
    ).toEqual(expected);
  });
});
