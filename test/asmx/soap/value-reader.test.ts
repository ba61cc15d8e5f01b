// The wire contract, section 5: what XmlSerializer makes of attributes in records and lists.

import { element, listOf } from '../../harness/contract-types';
import { gradeReader, pupilType } from '../../harness/grade-reader';
import { NAMESPACE } from '../../../scripts/harness';

const read = gradeReader([
  element('pupil', pupilType()),
  element('mark', 'int', { nillable: true }),
  element('marks', listOf(element('int', 'int', { optional: true }))),
]);

const ABSENT = { pupil: null, mark: null, marks: null };

it.each([
  ['<pupil number=" 7 "><name>Ada</name></pupil>', { pupil: { number: 7, name: 'Ada' } }],
  ['<pupil t:number="7" />', { pupil: { number: 0, name: null } }],
  ['<pupil xsi:type="t:Pupil" number="7" />', { pupil: { number: 7, name: null } }],
  ['<pupil xsi:type="Pupil" number="7" />', { pupil: { number: 7, name: null } }],
  ['<mark xsi:nil="true">7</mark>', { mark: null }],
  ['<mark xsi:nil=" 1 " />', { mark: null }],
  ['<mark xsi:nil="false">7</mark>', { mark: 7 }],
  ['<marks xsi:nil="true"><int>7</int></marks>', { marks: null }],
])('reads %s', (parameters, expected) => {
  expect(read(parameters)).toEqual({ ...ABSENT, ...expected });
});

const place = (message: string): RegExp =>
  new RegExp(`^There is an error in XML document \\(1, \\d+\\)\\. ---> ${message}$`);

it.each([
  ['<pupil number="x" />', 'Input string was not in a correct format\\.'],
  ['<pupil number="2147483648" />', 'Value was either too large or too small for an Int32\\.'],
  [
    '<pupil xsi:type="t:Teacher" />',
    `The specified type was not recognized: name='Teacher', namespace='${NAMESPACE}', at <pupil xmlns='${NAMESPACE}'>\\.`,
  ],
  ['<pupil xsi:type="u:Pupil" />', "Namespace prefix 'u' is not defined\\."],
  ['<mark xsi:nil="maybe">7</mark>', "The string 'maybe' is not a valid Boolean value\\."],
])('rejects %s: %s', (parameters, message) => {
  expect(read(parameters)).toMatch(place(message));
});
