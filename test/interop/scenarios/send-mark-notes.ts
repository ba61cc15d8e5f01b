import { NOTHING } from '../outcome';
import { DIFFICULT, leftOut, refused, type Scenario } from '../scenario';
import { CLASS, SCHOOL } from '../school';

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a note is taken as it was sent',
    operation: 'SendMarkNotes',
    args: [DIFFICULT, CLASS, SCHOOL],
    expected: NOTHING,
    trace: {
      stored: { channel: 'mark', recipient: CLASS, school: SCHOOL, payload: { note: DIFFICULT } },
    },
  },
  {
    title: 'a note of the sample school is taken',
    operation: 'SendMarkNotes',
    args: ['N1', '1A', 'http://school.example'],
    expected: NOTHING,
  },
  refused('SendMarkNotes', ['', '1A', SCHOOL], 'Parameter id is empty.'),
  refused('SendMarkNotes', ['N1', '', SCHOOL], 'Parameter id_class is empty.'),
  leftOut('SendMarkNotes', ['N1', '1A', null], 'baseUrlSchool'),
];
