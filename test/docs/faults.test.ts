import { readRepositoryFile } from './repository-files';

const ROWS = 65;

/** The rows of docs/faults.md: their numbers, and the files that test them. */
const rows = [...readRepositoryFile('docs/faults.md').matchAll(/^\| (\d+) +\|.*\| ([^|]+?) +\|$/gm)].map(
  ([, number = '', tests = '']) => ({
    number,
    files: [...tests.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, file = '']) => file),
  }),
);

describe('what docs/faults.md says that the service survives', () => {
  it('is every row, once and in order', () => {
    expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1));
  });

  it.each(rows)('is tested, by a title with its number: $number', ({ number, files }) => {
    const title = new RegExp(`['"\`]${number} [A-Z]`);
    expect(files).not.toEqual([]);
    expect(files.filter((file) => !title.test(readRepositoryFile(file)))).toEqual([]);
  });
});
