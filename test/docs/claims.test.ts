import { DEVIATIONS } from '../conformance/deviations';
import { readCases } from '../conformance/recorded-case';
import { readRepositoryFile } from '../harness/repository-files';

const README = readRepositoryFile('README.md');

function claimed(pattern: RegExp): number | undefined {
  const [, number] = pattern.exec(README) ?? [];
  return number === undefined ? undefined : Number(number);
}

describe('the numbers of recorded exchanges in README.md', () => {
  const cases = readCases();
  const equal = cases.filter(({ name }) => !DEVIATIONS.some((deviation) => deviation.cases.test(name)));
  const pages = equal.filter(({ expect: recorded }) => 'html' in recorded.body);

  it.each([
    ['the total', /Of (\d+) exchanges recorded/, cases.length],
    ['those compared byte for byte', /\b(\d+) responses are equal/, equal.length - pages.length],
    ['those compared by status and media type', /; (\d+) more are HTML pages/, pages.length],
    ['those that differ as intended', /; (\d+) differ on purpose/, cases.length - equal.length],
  ])('are correct: %s', (_what, pattern, number) => {
    expect(claimed(pattern)).toBe(number);
  });
});
