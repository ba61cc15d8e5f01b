// Prints how many tests of a run passed and failed, as "PASSED FAILED", from Jest's report in JSON.
// Usage: count-tests.cjs REPORT [REASON...]
//        count-tests.cjs --failed-files REPORT
//
// If files were run again, their results in REPORT.again count in place of those in REPORT.
// A skipped test has failed, unless its title or that of a block around it says "(skipped: REASON)" with a REASON that is
// given. Standard error names the skipped blocks, and the first failed tests with the beginning of their message. For
// each REASON something must have been skipped: otherwise the run did not try what it was for.
const { existsSync, readFileSync } = require('node:fs');
const { stripVTControlCharacters } = require('node:util');

const FAILED_FILES = '--failed-files';

const filesOf = (report) => JSON.parse(readFileSync(report, 'utf8')).testResults;
const testsOf = (files) => files.flatMap(({ assertionResults }) => assertionResults);
const isFailed = ({ status }) => status === 'failed';

/** A file that could not be loaded has failed without any tests. */
function failuresOf(file) {
  const failed = file.assertionResults.filter(isFailed);
  if (failed.length > 0 || file.status !== 'failed') return failed;
  return [{ fullName: file.name, failureMessages: [file.message] }];
}

function nameFailures(files, prefix) {
  for (const { fullName, failureMessages } of files.flatMap(failuresOf).slice(0, 20))
    console.error(`${prefix}: ${fullName}: ${beginning(failureMessages[0])}`);
}

const beginning = (message = '') =>
  stripVTControlCharacters(message)
    .replace(/\n\s+at [^]*/, '')
    .replace(/\s+/g, ' ')
    .slice(0, 700);

function count(report, reasons) {
  let files = filesOf(report);
  if (existsSync(`${report}.again`)) {
    const again = new Map(filesOf(`${report}.again`).map((file) => [file.name, file]));
    nameFailures(files, 'Failed at first');
    files = files.map((file) => again.get(file.name) ?? file);
  }
  nameFailures(files, 'Failed');
  let failed = files.flatMap(failuresOf).length;

  const tests = testsOf(files);
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
  for (const [block, skips] of byBlock)
    console.error(`Skipped: ${block}: ${skips} ${skips === 1 ? 'test' : 'tests'}`);
  for (const reason of reasons) {
    if (skipped.some((titles) => titles.some((title) => title.endsWith(`(skipped: ${reason})`)))) continue;
    failed += 1;
    console.error(`Failed: nothing was skipped for the reason "${reason}". Was it hidden from the tests?`);
  }
  console.log(tests.filter(({ status }) => status === 'passed').length, failed);
}

const [first, ...rest] = process.argv.slice(2);
if (first === FAILED_FILES) {
  for (const file of filesOf(rest[0])) if (failuresOf(file).length > 0) console.log(file.name);
} else count(first, rest);
