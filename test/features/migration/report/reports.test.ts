import { differenceText, jsonReport, outcomeText } from '../../../../src/features/migration/report/report';
import { htmlReport, textReport } from '../../../../src/features/migration/report/reports';
import { emptyReport, sampleReport } from './sample-report';

const REPORT = sampleReport();

/** The lines that a reader sees in the body of a page, with a bar between the cells of a row. */
function linesOf(page: string): readonly string[] {
  return page
    .slice(page.indexOf('<main>'))
    .replaceAll(/<\/t[hd]><t[hd][^>]*>|<\/dt><dd>/g, '|')
    .replaceAll(/<[^>]+>/g, '')
    .split('\n')
    .filter((line) => line !== '');
}

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

  it('as HTML is a single file that loads nothing, with all text escaped', () => {
    const page = htmlReport(REPORT);
    expect(page).toContain('<dd><code>Xxxx &amp; &lt;x&gt;</code></dd>');
    expect(page).toContain('traffic &lt;1&gt;.jsonl:7');
    expect(page).toContain('Required by HTTP &amp; wants');
    expect(page).not.toMatch(/<script|\ssrc=|<link(?! rel="icon" href="data:)/);
  });

  it('as HTML has the counts, the differences to look into, and the harmless ones', () => {
    const curl = `curl -i 'http://new.example/NotificationNotes.asmx' -H 'Content-Type: text/xml; charset=utf-8' --data-binary '&lt;a&gt;&amp;amp;&lt;b&gt;Xxxx&lt;/b&gt;&lt;/a&gt;'`;
    const page = htmlReport(REPORT);
    expect(page).toContain('<title>http://old.example and http://new.example</title>');
    expect(page).toContain('<p class="bad">');
    expect(linesOf(page)).toEqual([
      'Old and new responses',
      'Old server: http://old.example. New server: http://new.example.',
      '4 comparisons, 2 with differences.',
      'Begun 2026-11-23T06:00:00.000Z, ended after 13 seconds.',
      'Personal data is masked: letters are shown as x, digits as 9.',
      '2 requests that send were left out.',
      'By operation',
      'operation|binding|pairs|equal bytes|equal as XML|other order|different|with findings',
      '(no operation)||1|0|0|1|0|1',
      'GetStudentSchool|GET|1|0|1|0|0|0',
      'GetStudentSchool|SOAP 1.1|2|1|0|0|1|1',
      'To look into',
      'GetStudentSchool SOAP 1.1',
      'body /Envelope/Body/StudentInfo/fullName: different value (1 comparison)',
      'old|Xxxx &amp; &lt;x&gt;',
      'new|Xx]]&gt;&quot;&#x1;',
      'as in|traffic &lt;1&gt;.jsonl:7',
      curl,
      '(no operation)',
      'body /l: in a different order (1 comparison)',
      curl,
      'Known or harmless differences',
      '2 kinds of harmless difference',
      'GetStudentSchool SOAP 1.1',
      'header allow: additional (1 comparison)',
      'new|GET',
      'as in|traffic &lt;1&gt;.jsonl:7',
      'why|Required by HTTP &amp; wants',
      curl,
      'GetStudentSchool GET',
      'body /: same value, written differently (1 comparison)',
      curl,
    ]);
  });

  it('as HTML says how many differences it has no room for, and what went well', () => {
    const findings = { ...REPORT.findings, failed: 0, groups: [], others: 2 };
    const page = htmlReport({ ...REPORT, findings });
    expect(page).toContain('<p class="good">4 comparisons: no differences.</p>');
    expect(linesOf(page).slice(-3)).toEqual([
      'To look into',
      'Nothing.',
      '2 differences are not in this report.',
    ]);
  });

  it.each([
    [{ pairs: 0, failed: 0 }, 'Nothing was compared.'],
    [{ pairs: 1, failed: 0 }, '1 comparison: no differences.'],
    [{ pairs: 1200, failed: 1100 }, '1,200 comparisons, 1,100 with differences.'],
  ])('sums up %j', (counts, text) => {
    expect(outcomeText({ ...REPORT.findings, ...counts })).toBe(text);
  });

  it.each([
    [{ part: 'status', place: '', what: 'changed' }, 'status: different value'],
    [{ part: 'header', place: 'etag', what: 'missing' }, 'header etag: missing'],
    [{ part: 'body', place: '/a', what: 'added' }, 'body /a: additional'],
    [{ part: 'body', place: '/a', what: 'whitespace' }, 'body /a: different white space'],
    [{ part: 'body', place: '/a', what: 'namespace' }, 'body /a: in a different namespace'],
    [{ part: 'body', place: '/a', what: 'name' }, 'body /a: different name'],
    [{ part: 'body', place: '/', what: 'malformed' }, 'body /: not well-formed on one server'],
    [{ part: 'body', place: '/', what: 'failed' }, 'body /: no response'],
    [
      { part: 'body', place: '/', what: 'letter case' },
      'body /: id in another letter case than stored; see KEY_COLLATION',
    ],
    [{ part: 'body', place: '/', what: 'more' }, 'body /: too many differences to list'],
  ] as const)('describes %j', (difference, text) => {
    const [group] = REPORT.findings.groups;
    if (group === undefined) throw new Error('The sample has no group');
    expect(differenceText({ ...group, ...difference })).toBe(text);
  });

  it('states if nothing was compared', () => {
    const empty = emptyReport();
    expect(textReport(empty)).toBe('http://old.example and http://new.example: Nothing was compared.\n');
    expect(htmlReport(empty)).toContain('Nothing was compared.');
    expect(htmlReport(empty)).toContain('<p>Nothing.</p>');
    expect(htmlReport(REPORT)).not.toContain('<p>Nothing.</p>');
  });
});
