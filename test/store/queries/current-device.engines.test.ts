import type { Store } from '../../../src/store';
import { untilVisibleToAll } from '../../../src/store/queries/students-version';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';

describe.each(ENGINES)('the current device of a student on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let imports = 0;

  async function load(...rows: readonly string[]): Promise<void> {
    imports += 1;
    const folder = `${database.folder}/csv-${String(imports)}`;
    const report = await store.importFolder(writeSchool(folder, { devices: rows }));
    expect(report.problems).toEqual([]);
  }

  /** By student, of the school http://a.example. */
  async function current(): Promise<Readonly<Record<string, string>>> {
    const students = await store.students.ofSchool('http://a.example', 'Y');
    return Object.fromEntries(students.map(({ id, deviceId }) => [id, deviceId]));
  }

  beforeEach(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(`${database.folder}/school`, { ...SMALL_SCHOOL, devices: [] }));
  });

  it('is the one last seen', async () => {
    await load(
      'D1,http://a.example,S1,t,,2026-01-01',
      'D2,http://a.example,S1,t,,2026-01-03',
      'D3,http://a.example,S1,t,,2026-01-02',
    );
    await expect(current()).resolves.toEqual({ S1: 'D2', S2: '' });
    await load('D3,http://a.example,S1,t,,2026-01-04');
    await expect(current()).resolves.toEqual({ S1: 'D3', S2: '' });
  });

  it('is the one with the smallest id if several were seen at the same time or never', async () => {
    await load('D2,http://a.example,S1,t,,', 'D1,http://a.example,S1,t,,', 'D3,http://a.example,S1,t,,');
    await expect(current()).resolves.toEqual({ S1: 'D1', S2: '' });
    await load('D3,http://a.example,S1,t,,1970-01-01');
    await expect(current()).resolves.toEqual({ S1: 'D3', S2: '' });
  });

  it('follows a device that was given to another student', async () => {
    await load('D1,http://a.example,S1,t,,2026-01-01', 'D2,http://a.example,S1,t,,2026-01-02');
    await load('D2,http://a.example,S2,t,,2026-01-02');
    await expect(current()).resolves.toEqual({ S1: 'D1', S2: 'D2' });
  });

  it('is the next one when its token is dead, and none after the last', async () => {
    await load('D1,http://a.example,S1,t1,,2026-01-01', 'D2,http://a.example,S1,t2,,2026-01-02');
    await store.write((tx) => tx.devices.invalidateToken('D2', 't2'));
    await expect(current()).resolves.toEqual({ S1: 'D1', S2: '' });
    await store.write((tx) => tx.devices.invalidateToken('D1', 't1'));
    await untilVisibleToAll(engine);
    await expect(current()).resolves.toEqual({ S1: '', S2: '' });
  });

  it('stays dead when the same token is loaded again, and returns with another token', async () => {
    await load('D1,http://a.example,S1,t1,,2026-01-01');
    await store.write((tx) => tx.devices.invalidateToken('D1', 't1'));
    await load('D1,http://a.example,S1,t1,,2026-02-01');
    await expect(store.devices.tokenOf('D1')).resolves.toBe('');
    await expect(current()).resolves.toEqual({ S1: '', S2: '' });
    await load('D1,http://a.example,S1,t2,,2026-02-01');
    await expect(store.devices.tokenOf('D1')).resolves.toBe('t2');
    await expect(current()).resolves.toEqual({ S1: 'D1', S2: '' });
  });

  it('stays the same when the students are loaded again', async () => {
    await load('D1,http://a.example,S1,t,,2026-01-01');
    const students = ['http://a.example,S1,Renamed,Y,'];
    await store.importFolder(writeSchool(`${database.folder}/again`, { students }));
    await expect(current()).resolves.toEqual({ S1: 'D1', S2: '' });
  });
});
