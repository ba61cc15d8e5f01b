import type { TypeCheck } from './type-check';

/**
 * Reads what a program of checks has written: a line each, with "passed" or "failed", what was tried, and why it failed,
 * separated by tabs.
 */
export function readChecks(output: string): readonly TypeCheck[] {
  const checks = output
    .split('\n')
    .map((line) => line.trimEnd().split('\t'))
    .filter(([verdict]) => verdict === 'passed' || verdict === 'failed')
    .map(([verdict, what = '', reason = '']) => ({
      what,
      failure: verdict === 'passed' ? undefined : reason,
    }));
  if (checks.length === 0) throw new Error(`The program has checked nothing: ${output}`);
  return checks;
}
