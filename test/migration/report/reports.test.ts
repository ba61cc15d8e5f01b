import { htmlReport } from '../../../src/migration/report/html-report';
import { jsonReport } from '../../../src/migration/report/report';
import { junitReport, textReport } from '../../../src/migration/report/reports';
import { descendants, parseXml } from '../../harness/xml-tree';
import { emptyReport, sampleReport } from './sample-report';

const REPORT = sampleReport();

describe('the report', () => {
  it('for a terminal has counts, findings with an example each, and known differences', () => {
    const request = `curl -i 'http://new.example/NotificationNotes.asmx' -H 'Content-Type: text/xml; charset=utf-8' --data-binary '<a>&amp;<b>Xxxx</b></a>'`;
    expect(textReport(REPORT).split('\n')).toEqual([
      'http://old.example and http://new.example: 4 comparisons, 2 with differences.',
      '2 requests that send were left out.',
      '',
      'operation         binding   pairs  equal bytes  equal as XML  other order  different  with findings',
      '(no operation)                  1            0             0            1          0              1',
      'GetStudentSchool  GET           1            0             1            0          0              0',
      'GetStudentSchool  SOAP 1.1      2            1             0            0          1              1',
      '',
      'GetStudentSchool, SOAP 1.1: body /Envelope/Body/StudentInfo/fullName: different value (1 comparison)',
      '  old   Xxxx & <x>',
      '  new   Xx]]>"\\u{1}',
      '  as in traffic <1>.jsonl:7',
      `  ${request}`,
      '',
      '(no operation): body /l: in a different order (1 comparison)',
      `  ${request}`,
      '',
      'Known differences:',
      '  1 time: Required by HTTP & wants',
      '',
    ]);
  });

  it('for a terminal limits what it shows', () => {
    const [group] = REPORT.findings.groups;
    if (group === undefined) throw new Error('The sample has no group');
    const groups = Array.from({ length: 40 }, (_, at) => ({ ...group, place: `/${String(at)}` }));
    const text = textReport({ ...REPORT, findings: { ...REPORT.findings, groups, others: 3 } });
    expect(text).toContain('body /24: ');
    expect(text).not.toContain('body /25: ');
    expect(text).toContain('15 more kinds of differences');
    expect(text).toContain('3 differences not in this report');
  });

  it('as JSON contains all data', () => {
    expect(JSON.parse(jsonReport(REPORT))).toEqual(REPORT);
  });

  it('as JUnit has a suite for each operation and binding, and a case for each kind of difference', () => {
    const root = parseXml(junitReport(REPORT));
    expect(root).toMatchObject({
      name: 'testsuites',
      attributes: { tests: '6', failures: '2', time: '12.500' },
    });
    const suites = root.children.map(({ attributes }) => attributes);
    expect(suites).toMatchObject([
      { name: '(no operation)', tests: '2', failures: '1', skipped: '0' },
      { name: 'GetStudentSchool GET', tests: '1', failures: '0', skipped: '0' },
      { name: 'GetStudentSchool SOAP 1.1', tests: '3', failures: '1', skipped: '1' },
    ]);
    const [, failure] = descendants(root, 'failure');
    expect(failure?.text.split('\n').slice(0, 3)).toEqual([
      'old: Xxxx & <x>',
      'new: Xx]]>"\u{fffd}',
      'as in traffic <1>.jsonl:7',
    ]);
    expect(failure?.text).toContain('<a>&amp;<b>Xxxx</b></a>');
    expect(descendants(root, 'skipped').map(({ attributes }) => attributes)).toEqual([
      { message: 'Required by HTTP & wants' },
    ]);
    const cases = descendants(root, 'testcase').map(({ attributes }) => attributes['name']);
    expect(cases).toContain('1 comparison without differences');
    expect(cases).toContain('header allow: additional');
  });

  it('as HTML is a single file that loads nothing, with all text escaped', () => {
    const page = htmlReport(REPORT);
    expect(page).toContain('<dd><code>Xxxx &amp; &lt;x&gt;</code></dd>');
    expect(page).toContain('traffic &lt;1&gt;.jsonl:7');
    expect(page).toContain('Required by HTTP &amp; wants');
    expect(page).not.toMatch(/<script|\ssrc=|<link(?! rel="icon" href="data:)/);
  });

  it('states if nothing was compared', () => {
    const empty = emptyReport();
    expect(textReport(empty)).toBe('http://old.example and http://new.example: Nothing was compared.\n');
    expect(htmlReport(empty)).toContain('Nothing was compared.');
    expect(htmlReport(empty)).toContain('<p>Nothing.</p>');
    expect(htmlReport(REPORT)).not.toContain('<p>Nothing.</p>');
    expect(parseXml(junitReport(empty))).toMatchObject({
      attributes: { tests: '0', failures: '0' },
      children: [],
    });
  });
});
