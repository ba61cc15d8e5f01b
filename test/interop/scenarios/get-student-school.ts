import type { Binding } from '../../../src/asmx';
import { leftOut, refused, type Scenario } from '../scenario';
import { SCHOOL, studentsWith } from '../school';

const FORMS: readonly Binding[] = ['get', 'post'];

export const SCENARIOS: readonly Scenario[] = [
  students('a list of none', SCHOOL, 'N', 0),
  students('a list of one', SCHOOL, 'İ', 1),
  students('a list of thirty', SCHOOL, 'Y', 30),
  {
    title: 'an unknown school has no students',
    operation: 'GetStudentSchool',
    args: ['http://unknown.example', 'Y'],
    expected: { kind: 'students', students: [] },
  },
  refused('GetStudentSchool', ['', 'Y'], 'Parameter school_base_url is empty.'),
  leftOut('GetStudentSchool', [null, 'Y'], 'school_base_url'),
  {
    title: 'a flag of two characters is refused',
    operation: 'GetStudentSchool',
    args: [SCHOOL, 'YY'],
    expected: {
      kind: 'refused',
      reason:
        'Cannot convert YY to System.Char.\r\nParameter name: type ---> String must be exactly one character long.',
    },
    bindings: FORMS, // The SOAP stacks have no such value of their character type.
  },
];

function students(title: string, school: string, flag: string, count: number): Scenario {
  const list = studentsWith(flag);
  if (list.length !== count) throw new Error(`${title}: students.csv has ${String(list.length)}`);
  return {
    title,
    operation: 'GetStudentSchool',
    args: [school, flag],
    expected: { kind: 'students', students: list },
  };
}
