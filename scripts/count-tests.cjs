// Prints how many tests of a run passed and failed, as "PASSED FAILED", from Jest's report in JSON.
// Usage: count-tests.cjs REPORT [REASON...]
//
// A skipped test has failed, unless its title or that of a block around it says "(skipped: REASON)" with a REASON that is
// given. The skipped blocks and the first failed tests are named on standard error. For each REASON something must have been skipped: otherwise
// the run did not try what it was for.
const { readFileSync } = require('node:fs');

const [report, ...reasons] = process.argv.slice(2);
const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
  readFileSync(report, 'utf8'),
);
let failed = numFailedTests + numRuntimeErrorTestSuites;

const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
for (const { fullName } of tests.filter(({ status }) => status === 'failed').slice(0, 20))
  console.error(`Failed: ${fullName}`);
const skipped = tests
  .filter(({ status }) => status !== 'passed' && status !== 'failed')
  .map(({ ancestorTitles, title }) => [...ancestorTitles, title]);
const byBlock = new Map();
for (const titles of skipped) {
  const block = titles.find((title) => reasons.some((reason) => title.endsWith(`(skipped: ${reason})`)));
  if (block === undefined) failed += 1;
  const name = block ?? `${titles.join(' > ')} (no reason that is accepted: counts as failed)`;
  byBlock.set(name, (byBlock.get(name) ?? 0) + 1);
}
for (const [block, count] of byBlock)
  console.error(`Skipped: ${block}: ${count} ${count === 1 ? 'test' : 'tests'}`);

for (const reason of reasons) {
  if (skipped.some((titles) => titles.some((title) => title.endsWith(`(skipped: ${reason})`)))) continue;
  failed += 1;
  console.error(`Failed: nothing was skipped for the reason "${reason}". Was it hidden from the tests?`);
}

console.log(numPassedTests, failed);
