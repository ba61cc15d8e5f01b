import { CSV_HEADERS } from '../../../scripts/harness';
import { ENGINES } from '../../harness/test-databases';
import { useImports } from '../../harness/use-imports';

const A = 'http://a.example';
const csv = (file: keyof typeof CSV_HEADERS, rows: readonly string[]): Record<string, string> => ({
  [`${file}.csv`]: [CSV_HEADERS[file], ...rows].join('\n'),
});
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const student = (at: number, name = 'Name'): string => `${A},N${String(at)},${name},Y,`;

describe.each(ENGINES)('the questions about an import on %s', (engine) => {
  const { load } = useImports(engine);
  const asked = async (files: Readonly<Record<string, string>>, dryRun = true): Promise<unknown> =>
    (await load(files, { dryRun })).questions.map(({ kind, file, rows, of }) => [kind, file, rows, of]);

  it('ask about a third of the students that the file lacks', async () => {
    // The school has three students, of whom the files contain none.
    const all = numbers(9).map((at) => student(at));
    const stays = ['S1', 'S2', 'S3'].map((id) => `${A},${id},Name,Y,`);
    await load(csv('students', [...all, ...stays]));
    const lacking = (count: number) => asked(csv('students', [...all, ...stays].slice(count)));
    expect(await lacking(3)).toEqual([]);
    expect(await lacking(4)).toEqual([['missing', 'students.csv', 4, 12]]);
    expect(await lacking(5)).toEqual([['missing', 'students.csv', 5, 12]]);
  });

  it('ask about tokens that ten devices share', async () => {
    const sharing = (count: number) =>
      asked(
        csv(
          'devices',
          numbers(count).map((at) => `X${String(at)},${A},S1,same,ios,`),
        ),
      );
    expect(await sharing(9)).toEqual([]);
    expect(await sharing(10)).toEqual([['shared-token', 'devices.csv', 1, 10]]);
    expect(await sharing(11)).toEqual([['shared-token', 'devices.csv', 1, 11]]);
  });

  it('ask about names that are numbers, classes without students, and letters in both cases', async () => {
    const stays = ['S1', 'S2', 'S3'].map((id) => `${A},${id},Name,Y,1A`);
    expect(
      await asked(csv('students', [...stays, student(1, '12 345'), student(2, '٣'), student(3, '')])),
    ).toEqual([['no-letters', 'students.csv', 1, 6]]);
    const classes = csv('classes', [`${A},1A,A`, `${A},9a,B`, `${A},9A,C`]);
    expect(await asked(classes)).toEqual([
      ['no-students', 'classes.csv', 2, 3],
      ['case', 'classes.csv', 2, 2],
    ]);
    const flags = stays.map((row, at) => (at === 0 ? row.replace(',Y,', ',y,') : row));
    expect(await asked(csv('students', flags))).toEqual([['case', 'students.csv', 2, 3]]);
    expect(await asked(csv('students', [`${A},S1,1,YY,`]))).toEqual([]);
  });
});
