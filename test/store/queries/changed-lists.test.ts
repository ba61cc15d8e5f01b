import { Calendar, type Store } from '../../../src/store';
import type { ImportOptions } from '../../../src/store/csv/import-folder';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const SCHOOL = 'http://a.example';

describe.each(ENGINES)('a list of students and a token that one process has read on %s change', (engine) => {
  const database = useDatabase(engine);
  let reader: Store;
  let writer: Store;
  let imports = 0;

  const list = async () =>
    (await reader.students.ofSchool(SCHOOL, 'Y')).map(({ fullName, deviceId }) => `${fullName}, ${deviceId}`);
  const token = () => reader.devices.tokenOf('D2');
  const load = (files: Parameters<typeof writeSchool>[1], options: ImportOptions = {}) => {
    imports += 1;
    return writer.importFolder(writeSchool(`${database.folder}/csv-${String(imports)}`, files), options);
  };

  beforeEach(async () => {
    reader = await database.open();
    writer = await database.open();
    await load(SMALL_SCHOOL);
    expect(await list()).toEqual(['Çağrı Şimşek, D2', 'فاطمة, ']);
    expect(await token()).toBe('token-2');
  });

  it('when another imports students', async () => {
    await load({ students: ['http://a.example,S2,Fatma,Y,'] });
    expect(await list()).toEqual(['Çağrı Şimşek, D2', 'Fatma, ']);
  });

  it('when another imports devices', async () => {
    await load({ devices: ['D9,http://a.example,S2,token-9,,2026-01-01'] });
    expect(await list()).toEqual(['Çağrı Şimşek, D2', 'فاطمة, D9']);
    await load({ devices: ['D2,http://a.example,S1,token-3,,2026-01-01'] });
    expect(await token()).toBe('token-3');
  });

  it('when another finds that a token is dead', async () => {
    await writer.write((transaction) => transaction.devices.invalidateToken('D2', 'token-2'));
    expect(await list()).not.toContain('Çağrı Şimşek, D2');
    expect(await token()).toBe('');
  });

  it.each([{ school: SCHOOL, student: 'S1' }, { device: 'D2' }])(
    'when another forgets %j',
    async (subject) => {
      await writer.forget(subject, { dryRun: false, now: 0, calendar: new Calendar('UTC') });
      expect(await list()).not.toContain('Çağrı Şimşek, D2');
      expect(await token()).toBe('');
    },
  );

  it('when another removes what its files lack', async () => {
    const students = SMALL_SCHOOL.students.filter((row) => !row.includes(',S2,'));
    await load({ ...SMALL_SCHOOL, students }, { replace: 'even large parts' });
    expect(await list()).toEqual(['Çağrı Şimşek, D2']);
    const devices = SMALL_SCHOOL.devices.filter((row) => !row.startsWith('D2,'));
    await load({ ...SMALL_SCHOOL, devices }, { replace: 'even large parts' });
    expect(await token()).toBe('');
  });
});
