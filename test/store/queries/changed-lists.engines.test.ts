import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Store } from '../../../src/store';
import type { ImportOptions } from '../../../src/store/csv/import-folder';
import { untilVisibleToAll } from '../../../src/store/queries/students-version';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { Calendar } from '../../../src/support/calendar';

const SCHOOL = 'http://a.example';
const FORGET_OPTIONS = { dryRun: false, now: 0, calendar: new Calendar('UTC') };

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
    await untilVisibleToAll(engine); // It may be returned until then.
    expect(await list()).not.toContain('Çağrı Şimşek, D2');
    expect(await token()).toBe('');
  });

  it.each([{ school: SCHOOL, student: 'S1' }, { device: 'D2' }])(
    'when another forgets %j',
    async (subject) => {
      await writer.forget(subject, FORGET_OPTIONS);
      expect(await list()).not.toContain('Çağrı Şimşek, D2');
      expect(await token()).toBe('');
    },
  );

  it.each(['imports', 'forgets'])(
    'as soon as another %s, also while they are read all the time',
    async (what) => {
      // A slow clock: what is read may be used for longer than the change takes.
      const now = performance.now.bind(performance);
      const start = now();
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => start + (now() - start) / 20);
      const change =
        what === 'imports'
          ? load({ students: ['http://a.example,S1,Çiğdem,Y,'] })
          : writer.forget({ school: SCHOOL, student: 'S1' }, FORGET_OPTIONS);
      const done = change.then(() => 'done');
      try {
        while ((await Promise.race([done, nextTurn('')])) !== 'done') await list();
        await nextTurn(); // On SQLite, reads of one turn share a snapshot.
        expect(await list()).not.toContain('Çağrı Şimşek, D2');
      } finally {
        clock.mockRestore();
      }
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
