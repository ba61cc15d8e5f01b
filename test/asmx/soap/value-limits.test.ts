// Beyond the wire contract, section 3.4: what bounds an envelope counts inside records and lists, too.

import { element, listOf, operationOf, READING_RULES } from '../../support/contract-types';
import { envelope11, NAMESPACE } from '../../../scripts/harness';
import type { ValueType } from '../../../src/asmx/contract';
import { DEFAULT_LIMITS } from '../../../src/asmx/limits';
import { EnvelopeReader } from '../../../src/asmx/soap';

const PUPIL: ValueType = {
  kind: 'record',
  name: 'Pupil',
  attributes: [{ name: 'number', type: { kind: 'plain', name: 'int' }, optional: false }],
  elements: [element('name', 'string'), element('marks', listOf(element('int', 'int', { optional: true })))],
};
const OPERATION = operationOf(
  'Grade',
  element('pupils', listOf(element('Pupil', PUPIL, { optional: true, nillable: true }))),
);
const reader = new EnvelopeReader(
  NAMESPACE,
  { ...DEFAULT_LIMITS, xmlDepth: 8, xmlElements: 12, xmlAttributes: 3 },
  READING_RULES,
  [OPERATION],
);

/** Elements around the list of pupils: Envelope, Body, the operation's and the list's own. */
const AROUND = 4;

function read(pupils: string) {
  const text = envelope11(`<Grade xmlns="${NAMESPACE}"><pupils>${pupils}</pupils></Grade>`);
  const { error, parameters } = reader.read(text, OPERATION, () => undefined);
  return error?.message ?? parameters;
}

it('a list of as many elements as an envelope may have is read', () => {
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
])('more %s than an envelope may have are refused', (_what, pupils, message) => {
  expect(read(pupils)).toBe(message);
});
