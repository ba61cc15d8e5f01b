import { DEVIATIONS } from '../conformance/deviations';
import { readCases } from '../conformance/recorded-case';
import { readRepositoryFile } from './repository-files';

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
    ['their number', /Of (\d+) exchanges recorded/, cases.length],
    ['those compared to the byte', /\b(\d+) responses are equal/, equal.length - pages.length],
    ['those of which status and media type are compared', /; (\d+) more are HTML pages/, pages.length],
    ['those that differ on purpose', /; (\d+) differ on purpose/, cases.length - equal.length],
  ])('are correct: %s', (_what, pattern, number) => {
    expect(claimed(pattern)).toBe(number);
  });
});
