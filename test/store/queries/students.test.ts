import type { Connection } from '../../../src/store/engine';
import { Students } from '../../../src/store/queries/students';

/** A database with these students, as its statement tells of them. */
function studentsOf(text: string | null): Students {
  const rows = (): Promise<never> => Promise.resolve([[text]] as never);
  return new Students({ rows } as unknown as Connection);
}

describe('the students that the database tells of in one text', () => {
  it('are taken apart at the separators, empty values included', async () => {
    const text = 'S1\u001fAda L.\u001fD1\u001e' + 'S2\u001f\u001f\u001e' + '\u001fبدر\u001fD3\u001e';
    await expect(studentsOf(text).ofSchool('http://a.example', 'Y')).resolves.toEqual([
      { id: 'S1', fullName: 'Ada L.', deviceId: 'D1', showActive: 'Y' },
      { id: 'S2', fullName: '', deviceId: '', showActive: 'Y' },
      { id: '', fullName: 'بدر', deviceId: 'D3', showActive: 'Y' },
    ]);
  });

  it('are none where it tells of none', async () => {
    await expect(studentsOf(null).ofSchool('http://a.example', 'Y')).resolves.toEqual([]);
  });

  it.each(['S1', 'S1\u001fName', 'S1\u001fName\u001fD1', 'S\u001e1\u001fName\u001fD\u001e1\u001e'])(
    'are refused where somebody wrote a separator into the database: %j',
    async (text) => {
      await expect(studentsOf(text).ofSchool('http://a.example', 'Y')).rejects.toMatchObject({
        trouble: 'corrupt',
      });
    },
  );
});
