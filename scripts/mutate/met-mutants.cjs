// Loaded before a program that a test starts under `npm run mutate`: at its end writes which mutants it met, as JSON.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

process.once('exit', () => {
  const coverage = globalThis.__stryker__?.mutantCoverage;
  if (coverage === undefined) return;
  writeFileSync(join(process.env.CHILD_MUTANTS, `${process.pid}.json`), JSON.stringify(coverage.static));
});
