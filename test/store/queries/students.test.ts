import type { Connection } from '../../../src/store/engine/engine';
import { Students } from '../../../src/store/queries/students';

type Texts = readonly [ids: string | null, fullNames: string | null, deviceIds: string | null];

/** A database with these students, as its statement tells of them. */
function studentsOf(texts: Texts): Students {
  const rows = (): Promise<never> => Promise.resolve([texts] as never);
  return new Students({ engine: 'sqlite', rows } as unknown as Connection);
}

describe('the students that the database returns in three texts', () => {
  it('are split at the separators, including empty values', async () => {
    const texts: Texts = ['S1\u001fS2\u001f', 'Ada L.\u001f\u001fبدر', 'D1\u001f\u001fD3'];
    await expect(studentsOf(texts).ofSchool('http://a.example', 'Y')).resolves.toEqual([
      { id: 'S1', fullName: 'Ada L.', deviceId: 'D1', showActive: 'Y' },
      { id: 'S2', fullName: '', deviceId: '', showActive: 'Y' },
      { id: '', fullName: 'بدر', deviceId: 'D3', showActive: 'Y' },
    ]);
  });

  it('may include one with no data', async () => {
    await expect(studentsOf(['', '', '']).ofSchool('http://a.example', 'Y')).resolves.toEqual([
      { id: '', fullName: '', deviceId: '', showActive: 'Y' },
    ]);
  });

  it('are an empty list if it returns none', async () => {
    await expect(studentsOf([null, null, null]).ofSchool('http://a.example', 'Y')).resolves.toEqual([]);
  });

  it.each<Texts>([
    ['S1\u001fS2', 'Name', 'D1'],
    ['S1', 'Na\u001fme', 'D1'],
    ['S1', 'Name', 'D\u001f1'],
    ['S1', 'Name', null],
  ])('are refused if the database contains a separator: %j %j %j', async (...texts) => {
    await expect(studentsOf(texts).ofSchool('http://a.example', 'Y')).rejects.toMatchObject({
      trouble: 'corrupt',
    });
  });
});
