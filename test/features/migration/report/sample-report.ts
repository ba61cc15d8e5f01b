import type { HttpRequest } from '../../../../src/features/migration/messages';
import { FindingsTotal } from '../../../../src/features/migration/report/findings';
import type { Report } from '../../../../src/features/migration/report/report';
import { makeVerdict } from '../../../../src/features/migration/verdict/verdict';

const REQUEST: HttpRequest = {
  method: 'POST',
  target: '/NotificationNotes.asmx',
  headers: [['Content-Type', 'text/xml; charset=utf-8']],
  body: Buffer.from('<a>&amp;<b>Ayse</b></a>'),
};

/** A report with everything that one can have; its texts are markup, to whom takes them for it. */
export function sampleReport(): Report {
  const total = new FindingsTotal('http://new.example');
  const students = { request: REQUEST, operation: 'GetStudentSchool', binding: 'SOAP 1.1' };
  const place = '/Envelope/Body/StudentInfo/fullName';
  total.add({ ...students, verdict: makeVerdict([]) });
  total.add({
    ...students,
    source: 'traffic <1>.jsonl:7',
    verdict: makeVerdict([
      { part: 'body', place, what: 'changed', level: 'different', old: 'Xxxx & <x>', ours: 'Xx]]>"\u{1}' },
      {
        part: 'header',
        place: 'allow',
        what: 'added',
        level: 'different',
        ours: 'GET',
        known: 'Required by HTTP & wants',
      },
    ]),
  });
  total.add({
    ...students,
    binding: 'GET',
    verdict: makeVerdict([{ part: 'body', place: '/', what: 'writing', level: 'xml' }]),
  });
  total.add({
    request: REQUEST,
    verdict: makeVerdict([{ part: 'body', place: '/l', what: 'order', level: 'order' }]),
  });
  return {
    old: 'http://old.example',
    ours: 'http://new.example',
    startedAt: '2026-11-23T06:00:00.000Z',
    seconds: 12.5,
    notes: ['2 requests that send were left out.'],
    findings: total.findings(),
  };
}

/** One in which nothing was found. */
export function emptyReport(): Report {
  return { ...sampleReport(), notes: [], findings: new FindingsTotal('http://new.example').findings() };
}
