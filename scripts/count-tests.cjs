// Prints how many tests of a run passed and failed, as "PASSED FAILED", from Jest's report in JSON.
// Usage: count-tests.cjs REPORT
//
// A skipped test has failed. Standard error names the skipped tests, and the first failed ones with the beginning of
// their message.
const { readFileSync } = require('node:fs');
const { stripVTControlCharacters } = require('node:util');

const filesOf = (report) => JSON.parse(readFileSync(report, 'utf8')).testResults;
const isFailed = ({ status }) => status === 'failed';

/** A file that could not be loaded has failed without any tests. */
function failuresOf(file) {
  const failed = file.assertionResults.filter(isFailed);
  if (failed.length > 0 || file.status !== 'failed') return failed;
  return [{ fullName: file.name, failureMessages: [file.message] }];
}

const beginning = (message = '') =>
  stripVTControlCharacters(message)
    .replace(/\n\s+at [^]*/, '')
    .replace(/\s+/g, ' ')
    .slice(0, 700);

const files = filesOf(process.argv[2]);
const failures = files.flatMap(failuresOf);
for (const { fullName, failureMessages } of failures.slice(0, 20))
  console.error(`Failed: ${fullName}: ${beginning(failureMessages[0])}`);
const tests = files.flatMap(({ assertionResults }) => assertionResults);
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
for (const { fullName } of skipped) console.error(`Failed, since it was skipped: ${fullName}`);
console.log(tests.filter(({ status }) => status === 'passed').length, failures.length + skipped.length);
