// The wire contract, sections 3 and 5: what an envelope names and contains, whatever is in between.

import { element, operationOf, READING_RULES } from '../../harness/contract-types';
import { NAMESPACE } from '../../../scripts/harness';
import type { OperationContract } from '../../../src/asmx/contract/operation';
import { DEFAULT_LIMITS } from '../../../src/asmx/limits';
import { EnvelopeReader } from '../../../src/asmx/soap/envelope-reader';
import { readSoapHead } from '../../../src/asmx/soap/soap-binding';

const OPERATION = operationOf('Op', element('id', 'string'));
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const CALL = `<Op xmlns="${NAMESPACE}"><id>7</id></Op>`;

function read(inside: string, operation?: OperationContract) {
  const reader = new EnvelopeReader(NAMESPACE, DEFAULT_LIMITS, READING_RULES, [operation ?? OPERATION]);
  const text = `<e:Envelope xmlns:e="${SOAP}">${inside}</e:Envelope>`;
  return reader.read(text, operation, (name) => (name === OPERATION.name ? OPERATION : undefined));
}
const inBody = (inside: string): string => `<e:Body>${inside}</e:Body>`;

describe('the value of a parameter', () => {
  const valueOf = (inside: string) => read(inBody(CALL.replace('7', inside)), OPERATION);

  it.each([
    ['', ''],
    [' x ', ' x '],
    ['a<![CDATA[b]]>c', 'abc'],
    ['<b>x</b>', 'x'],
    ['<b></b>', ''],
    ['<b>x<![CDATA[y]]></b>', 'xy'],
    ['<b>x</b>y', 'x'],
    ['<b>x</b><c/>', 'x'],
    ['<b>x</b><c>y</c>', 'x'],
    ['<b>x</b><c><d>y</d></c>', 'x'],
    ['<b>x</b><!-- c --><?p?>', 'x'],
  ])('%s is its text, or that of its one child', (inside, value) => {
    expect(valueOf(inside)).toMatchObject({ error: undefined, parameters: { id: value } });
  });

  it.each([
    '<b/>',
    ' <b>x</b>',
    'x<b>y</b>',
    '<![CDATA[]]><b>x</b>',
    '<b>x<c/></b>',
    '<b><c>x</c></b>',
    '<!-- c -->x',
    'x<!-- c -->',
    '<?p?>',
    '<b><!-- c -->x</b>',
  ])('%s is missing', (inside) => {
    expect(valueOf(inside).error).toEqual({
      kind: 'malformed',
      message:
        'Unexpected node type. ReadElementString method can only be called on elements with simple or empty content.',
    });
  });
});

it('a value belongs to the element of its operation, not to one in another namespace', () => {
  const foreign = `<x:Op xmlns:x="urn:x"><id xmlns="${NAMESPACE}">9</id></x:Op>`;
  expect(read(inBody(foreign), OPERATION).parameters).toEqual({ id: null });
});

it.each([
  ['a start tag', 'x</id><more>y</more>', '1, 116'],
  ['an end tag', 'x</id>', '1, 117'],
  ['a blank before a tag', 'x</id>\n<more>y</more>', '1, 115'],
  ['a text', 'x</id>text', '1, 115'],
  ['a comment', 'x</id><!--c-->', '1, 119'],
  ['an instruction', 'x</id><?i?>', '1, 117'],
  ['a section', 'x</id><![CDATA[t]]>', '1, 124'],
])('an invalid number is reported at the position of the next node: %s', (_where, rest, place) => {
  const operation: OperationContract = { ...OPERATION, parameters: [element('id', 'char')] };
  expect(read(inBody(`<Op xmlns="${NAMESPACE}"><id>${rest}</Op>`), operation).error).toEqual({
    kind: 'unreadable',
    message: `There is an error in XML document (${place}). ---> Input string was not in a correct format.`,
  });
});

describe("the operation of Body's first child", () => {
  const operationOf = (inside: string) => read(inBody(inside)).operation?.name;

  it.each([CALL, ` \t\r\n${CALL}`, `<!-- c --><?p?>${CALL}`, `${CALL}<Other/>`, `${CALL}x`])(
    'is found in %j',
    (inside) => {
      expect(operationOf(inside)).toBe('Op');
    },
  );

  it.each([
    `x${CALL}`,
    `<![CDATA[]]>${CALL}`,
    `<![CDATA[ ]]>${CALL}`,
    `&#160;${CALL}`,
    `<Other/>${CALL}`,
    '<Op/>',
    '<Op xmlns="urn:other"><id>7</id></Op>',
  ])('is not found in %j', (inside) => {
    expect(operationOf(inside)).toBeUndefined();
  });

  it('may follow a Header with text, but not be inside another element', () => {
    expect(read(`x<e:Header>x<h>x</h></e:Header>x${inBody(CALL)}`).operation?.name).toBe('Op');
    expect(read(`<e:Other>${CALL}</e:Other>`)).toMatchObject({
      operation: undefined,
      bodyElement: { found: 'missing-body' },
    });
    expect(read(`<Body>${CALL}</Body>`).bodyElement).toEqual({ found: 'missing-body' });
    expect(read('<e:Body/>').bodyElement).toEqual({ found: 'none' });
    expect(read(inBody('x')).bodyElement).toEqual({ found: 'none' });
    expect(read(inBody(CALL)).bodyElement).toEqual({ found: 'element' });
  });
});

describe('a header block', () => {
  const blockOf = (attribute: string, section = 'e:Header'): string | undefined =>
    read(`<${section}><h ${attribute}/></${section}>${inBody(CALL)}`, OPERATION).mustUnderstand;

  it.each(['1', 'true', ' 1 ', '&#9;true&#10;'])('must be understood by mustUnderstand="%s"', (value) => {
    expect(blockOf(`e:mustUnderstand="${value}"`)).toBe('h');
  });

  it.each(['0', 'false', '', '10', '01', 'true1', 'x1', '1x', 'TRUE', '1 1'])(
    'is optional with mustUnderstand="%s"',
    (value) => {
      expect(blockOf(`e:mustUnderstand="${value}"`)).toBeUndefined();
    },
  );

  it('is optional with another attribute, or one of another namespace', () => {
    expect(blockOf('e:relay="1"')).toBeUndefined();
    expect(blockOf('mustUnderstand="1"')).toBeUndefined();
    expect(blockOf('xmlns:x="urn:x" x:mustUnderstand="1"')).toBeUndefined();
  });

  it('is in the first Header, before Body', () => {
    expect(blockOf('e:mustUnderstand="1"', 'e:Other')).toBeUndefined();
    expect(blockOf('e:mustUnderstand="1"', 'Header')).toBeUndefined();
    const second = '<e:Header><h e:mustUnderstand="1"/></e:Header>';
    expect(read(`<e:Header/>${second}${inBody(CALL)}`, OPERATION).mustUnderstand).toBeUndefined();
    expect(read(`${inBody(CALL)}${second}`, OPERATION).mustUnderstand).toBeUndefined();
  });
});

it.each([
  [undefined, undefined, undefined],
  ['"urn:a"', ['"urn:a"'], '"urn:a"'],
  ['"urn:a,b"', ['"urn:a,b"'], '"urn:a,b"'],
  ['a, b, c', ['a', 'b', 'c'], 'c'],
])('of the SOAPAction headers %j the last counts', (soapaction, soapactions, action) => {
  const headers = { 'content-type': 'text/xml', ...(soapaction !== undefined && { soapaction }) };
  const headersDistinct = soapactions === undefined ? {} : { soapaction: soapactions };
  expect(readSoapHead({ headers, headersDistinct })).toEqual({ contentType: 'text/xml', soapAction: action });
});
