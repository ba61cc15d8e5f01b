// Beyond the wire contract, section 3.4: what bounds an envelope, whether it is read from its start or not.

import { element, operationOf, READING_RULES } from '../../harness/contract-types';
import { call, envelope11, NAMESPACE } from '../../../scripts/harness';
import { DEFAULT_LIMITS } from '../../../src/asmx/limits';
import { EnvelopeReader } from '../../../src/asmx/soap/envelope-reader';

const OPERATION = operationOf('GetTokenDevice', element('id', 'string'));

const reader = new EnvelopeReader(
  NAMESPACE,
  { ...DEFAULT_LIMITS, xmlDepth: 5, xmlElements: 8, xmlAttributes: 3, xmlNameCharacters: 20 },
  READING_RULES,
  [OPERATION],
);

/** Returns what is wrong with a call that holds so much beside its parameter; undefined where it is read. */
function refusalOf(inside: string, header = ''): string | undefined {
  const text = envelope11(call('GetTokenDevice', { id: '7' }).replace('<id>', `${inside}<id>`), header);
  const { error, parameters } = reader.read(text, OPERATION, () => undefined);
  if (error === undefined) expect(parameters).toEqual({ id: '7' });
  else expect(error.kind).toBe('unreadable');
  return error?.message;
}

const TOO_DEEP = 'The request is nested deeper than 5 elements.';
const TOO_MANY = 'The request has more than 8 elements.';
const TOO_WIDE = 'The request has an element with more than 3 attributes.';
const TOO_LONG = 'The request has a name of more than 20 characters.';

// The second time each is read on from what the first begins with.
describe.each(['first', 'second'])('the %s envelope that begins like this', () => {
  it.each([
    ['', undefined],
    ['<a><b/></a>', undefined],
    ['<a><b><c/></b></a>', TOO_DEEP],
    ['<a/><a/><a/>', undefined],
    ['<a/><a/><a/><a/>', TOO_MANY],
    ['<a b="" c="" d=""/>', undefined],
    ['<a b="" c="" d="" e=""/>', TOO_WIDE],
    [`<a ${'b'.repeat(20)}=""/>`, undefined],
    [`<a ${'b'.repeat(21)}=""/>`, TOO_LONG],
    [`<${'b'.repeat(21)}/>`, TOO_LONG],
  ])('with %s leads to the error %s', (inside, message) => {
    expect(refusalOf(inside)).toBe(message);
  });
});

it.each([
  ['<h/>', undefined],
  ['<h><i><j/></i></h>', undefined],
  ['<h><i><j><k/></j></i></h>', TOO_DEEP],
  ['<h/><h/><h/><h/><h/>', TOO_MANY],
  ['<h b="" c="" d="" e=""/>', TOO_WIDE],
])('a header %s counts as well: %s', (header, message) => {
  expect(refusalOf('', header)).toBe(message);
});
