// Beyond the wire contract, section 3.4: what bounds an envelope counts inside records and lists, too.

import { element, listOf } from '../../harness/contract-types';
import { gradeReader, pupilType } from '../../harness/grade-reader';

const PUPIL = pupilType(element('marks', listOf(element('int', 'int', { optional: true }))));
const readParameters = gradeReader(
  [element('pupils', listOf(element('Pupil', PUPIL, { optional: true, nillable: true })))],
  { xmlDepth: 8, xmlElements: 12, xmlAttributes: 3 },
);
const read = (pupils: string): unknown => readParameters(`<pupils>${pupils}</pupils>`);

/** Elements around the list of pupils: Envelope, Body, the operation's and the list's own. */
const AROUND = 4;

it('a list with the maximum number of elements of an envelope is read', () => {
  const marks = '<int>1</int>'.repeat(12 - AROUND - 2);
  expect(read(`<Pupil number="7"><marks>${marks}</marks></Pupil>`)).toEqual({
    pupils: [{ number: 7, name: null, marks: [1, 1, 1, 1, 1, 1] }],
  });
});

it.each([
  ['items of a list', '<Pupil number="1" />'.repeat(9), 'The request has more than 12 elements.'],
  [
    'items of a list in a record',
    `<Pupil number="7"><marks>${'<int>1</int>'.repeat(7)}</marks></Pupil>`,
    'The request has more than 12 elements.',
  ],
  ['items that are nil', '<Pupil xsi:nil="true" />'.repeat(9), 'The request has more than 12 elements.'],
  [
    'unknown elements in a record, deep',
    '<Pupil><a><b><c><d /></c></b></a></Pupil>',
    'The request is nested deeper than 8 elements.',
  ],
  [
    'attributes of a record',
    '<Pupil number="1" a="" b="" c="" />',
    'The request has an element with more than 3 attributes.',
  ],
])('more %s than allowed in an envelope are rejected', (_what, pupils, message) => {
  expect(read(pupils)).toBe(message);
});
