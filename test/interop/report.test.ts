import { type Line, Report } from './report';

const LINE: Line = { client: 'a client', column: 'SOAP 1.1', what: 'AuthCode', verdict: 'passed' };

function reportOf(...lines: readonly Line[]) {
  const written: string[] = [];
  const report = new Report((text) => written.push(text));
  for (const line of lines) report.add(line);
  return { report, written };
}

describe('the report of a run', () => {
  const failed: Line = { ...LINE, verdict: 'failed', reason: 'no answer:\n  late' };
  const skipped: Line = { ...LINE, verdict: 'skipped', reason: 'needs mono' };

  it('writes one line per check, with the reason if there is one', () => {
    expect(reportOf(LINE, failed).written).toEqual([
      'passed   a client | SOAP 1.1 | AuthCode\n',
      'failed   a client | SOAP 1.1 | AuthCode: no answer: late\n',
    ]);
  });

  it('ends with the totals, after the failed checks', () => {
    expect(reportOf(LINE, LINE, failed, skipped).report.totals()).toBe(
      'failed   a client | SOAP 1.1 | AuthCode: no answer: late\n2 passed, 1 failed, 1 skipped',
    );
  });

  it.each([
    ['all passed', [LINE], false, false],
    ['one failed', [LINE, failed], true, true],
    ['one was skipped', [LINE, skipped], false, true],
    ['nothing was tried', [], true, true],
  ])('decides whether a run fails: %s', (_what, lines, hasFailed, hasFailedStrictly) => {
    const { report } = reportOf(...lines);
    expect([report.hasFailed(false), report.hasFailed(true)]).toEqual([hasFailed, hasFailedStrictly]);
  });

  it('has a matrix of clients and columns', () => {
    const other = { ...LINE, client: 'b', column: 'SOAP 1.2' };
    const { report } = reportOf(LINE, failed, other, { ...skipped, client: 'c' });
    expect(report.matrix(['SOAP 1.1', 'SOAP 1.2']).split('\n')).toEqual([
      '|  | SOAP 1.1 | SOAP 1.2 |',
      '|---|---|---|',
      '| a client | 1/2 | - |',
      '| b | - | 1/1 |',
      '| c | skipped | - |',
      '',
    ]);
  });

  it('sums up each stack and all requests written by hand, without other columns', () => {
    const byHand = ['by hand: one', 'by hand: two'].map((client) => ({ ...LINE, client }));
    const { report } = reportOf(LINE, failed, { ...LINE, column: 'other' }, ...byHand);
    const titles = new Map([['a client', 'a client, Tool 1.2']]);
    expect(report.summary(['SOAP 1.1'], titles, ['by hand: one', 'by hand: two']).split('\n')).toEqual([
      '| Client | Checks passed |',
      '|---|---|',
      '| a client, Tool 1.2 | 1/2 |',
      '| Requests written by hand | 2/2 |',
      '',
    ]);
  });

  it('shows stacks side by side, without rows that none of them tried', () => {
    const other = { ...LINE, client: 'b', column: 'SOAP 1.2' };
    const { report } = reportOf(LINE, failed, other);
    const titles = new Map([
      ['a client', 'a client, Tool 1.2'],
      ['b', 'b'],
    ]);
    expect(report.sideBySide(['SOAP 1.1', 'SOAP 1.2', 'HTTP GET'], titles).split('\n')).toEqual([
      '|  | a client, Tool 1.2 | b |',
      '|---|---|---|',
      '| SOAP 1.1 | 1/2 | - |',
      '| SOAP 1.2 | - | 1/1 |',
      '',
    ]);
  });
});
