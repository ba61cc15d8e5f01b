import type { Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

describe.each(ENGINES)('the sample school on %s', (engine) => {
  const database = useDatabase(engine, { per: 'block' });
  let store: Store;

  beforeAll(async () => {
    store = await database.open();
    const report = await store.importFolder('scripts/sample-school');
    expect(report).toMatchObject({ problems: [], leftOut: [] });
    expect(report.files).toHaveLength(8);
  });

  const active = (url: string) => store.students.ofSchool(url, 'Y');

  it('has a school with more than thirty active students, with Turkish and Arabic names', async () => {
    const students = await active('http://school.example');
    expect(students.length).toBeGreaterThanOrEqual(30);
    expect(students.some(({ fullName }) => /[çğıİöşü]/i.test(fullName))).toBe(true);
    expect(students.some(({ fullName }) => /\p{Script=Arabic}/u.test(fullName))).toBe(true);
  });

  it('has a school with one active student, and one with none', async () => {
    await expect(active('http://village.example')).resolves.toHaveLength(1);
    await expect(active('https://evening.example/okul')).resolves.toEqual([]);
    await expect(store.students.ofSchool('https://evening.example/okul', 'N')).resolves.toHaveLength(1);
  });

  it('has a device with a token, one without, and a student with an additional older device', async () => {
    await expect(store.devices.tokenOf('DEV-1')).resolves.toBe('sample-token-01');
    await expect(store.devices.tokenOf('DEV-3')).resolves.toBe('');
    const [student] = await active('http://school.example');
    expect(student).toMatchObject({ id: 'S1', deviceId: 'DEV-1' });
  });

  it('has an exam with entries, an exam without, and note types', async () => {
    expect((await store.exams.find('E1'))?.entries.length).toBeGreaterThan(0);
    expect((await store.exams.find('E2'))?.entries).toEqual([]);
    await expect(store.noteTypes.all()).resolves.toHaveLength(3);
  });
});
