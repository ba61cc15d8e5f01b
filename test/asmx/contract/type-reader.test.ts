// The wire contract, section 8.1: which types a service description may have, and what is said of the others.

import { ContractError } from '../../../src/asmx/contract/operation';
import { readContract } from '../../../src/asmx/contract/contract-reader';
import { loadDescription } from '../../../src/asmx/soap/node-soap';
import { readRepositoryFile } from '../../harness/repository-files';
import { element, listOf } from '../../harness/contract-types';

const DESCRIPTION = readRepositoryFile('test/reference/Types.wsdl').replaceAll('{host}', 'localhost');

async function read(place: string | RegExp, instead: string) {
  const edited = DESCRIPTION.replace(place, instead);
  if (edited === DESCRIPTION) throw new Error(`There is no ${String(place)}`);
  return readContract(await loadDescription(edited));
}

const NUMBER = '<s:attribute name="number" type="s:int" use="required" />';
const DATE = '<s:element minOccurs="1" maxOccurs="1" name="date" type="s:dateTime" />';

describe('a type of a description', () => {
  it('is read completely', async () => {
    const { operations } = readContract(await loadDescription(DESCRIPTION));
    const parameterOf = (name: string) => operations.find((each) => each.name === name)?.parameters;
    const grade = { kind: 'enumeration', name: 'Grade', values: ['Low', 'Middle', 'High'] } as const;
    expect(parameterOf('EchoEntry')).toEqual([
      element('v', {
        kind: 'record',
        name: 'Entry',
        attributes: [{ name: 'number', type: { kind: 'plain', name: 'int' }, optional: false }],
        elements: [
          element('subject', 'string'),
          element('date', 'dateTime'),
          element('minutes', 'int'),
          element('weight', 'decimal'),
          element('oral', 'boolean'),
          element('grade', grade),
          element('average', 'double', { nillable: true }),
        ],
      }),
    ]);
    expect(parameterOf('EchoInts')).toEqual([
      element('v', listOf(element('int', 'int', { optional: true }))),
    ]);
    expect(parameterOf('EchoMaybe')).toEqual([element('v', 'int', { nillable: true })]);
  });

  it('may have an annotation and an optional attribute', async () => {
    const note = '<s:annotation><s:documentation>A number.</s:documentation></s:annotation>';
    const { operations } = await read(NUMBER, `${NUMBER.replace(' use="required"', '')}${note}`);
    expect(operations.find(({ name }) => name === 'EchoEntry')?.parameters).toMatchObject([
      { type: { attributes: [{ name: 'number', optional: true }] } },
    ]);
  });

  it.each([
    [
      'the element date of the type Entry is of type date, which is not served',
      'type="s:dateTime" />',
      'type="s:date" />',
      DATE,
    ],
    ['the element date of the type Entry has no type by name', ' type="s:dateTime" />', '/>', DATE],
    [
      'the element date of the type Entry is of type Entry, which contains it',
      's:dateTime',
      'tns:Entry',
      DATE,
    ],
    [
      'the element date of the type Entry has a value of its own in the document',
      '/>',
      'default="1" />',
      DATE,
    ],
    ['the element date of the type Entry has a value of its own in the document', '/>', 'fixed="1" />', DATE],
    ['the element date of the type Entry is without a namespace', '/>', 'form="unqualified" />', DATE],
    [
      'the element date of the type Entry repeats without an element around it',
      'maxOccurs="1"',
      'maxOccurs="unbounded"',
      DATE,
    ],
    ['the type Entry has a part of the kind any', '/>', '/><s:any />', DATE],
    ['the type Entry has minutes twice', 'name="date"', 'name="minutes"', DATE],
    [
      'the attribute number of the type Entry is of type ArrayOfInt, which an attribute cannot have',
      's:int',
      'tns:ArrayOfInt',
      NUMBER,
    ],
    [
      'the attribute number of the type Entry has a value of its own in the document',
      ' use="required"',
      ' default="1"',
      NUMBER,
    ],
    [
      'the attribute number of the type Entry has a value of its own in the document',
      ' use="required"',
      ' fixed="1"',
      NUMBER,
    ],
    ['the attribute number of the type Entry has a namespace', '/>', 'form="qualified" />', NUMBER],
    [
      'the type Entry is abstract',
      'name="Entry"',
      'name="Entry" abstract="true"',
      '<s:complexType name="Entry">',
    ],
    [
      'the type Entry holds text between its elements',
      'name="Entry"',
      'name="Entry" mixed="true"',
      '<s:complexType name="Entry">',
    ],
    [
      'the type Entry has a part of the kind anyAttribute',
      '>',
      '><s:anyAttribute />',
      '<s:complexType name="Entry">',
    ],
    [
      'the type Other has a complexContent',
      '<s:complexType',
      '<s:complexType name="Other"><s:complexContent><s:extension base="tns:Entry" /></s:complexContent></s:complexType><s:complexType',
      '<s:complexType name="Entry">',
    ],
    [
      'the type Grade is not a list of names',
      's:enumeration value="Low"',
      's:pattern value="a"',
      '<s:enumeration value="Low" />',
    ],
    ['the type Grade is not a list of names', ' value="Low"', '', '<s:enumeration value="Low" />'],
  ])('is rejected with its location: %s', async (message, from, to, place) => {
    const error = new ContractError(`The service description Types cannot be served: ${message}.`);
    await expect(read(place, place.replace(from, to))).rejects.toEqual(error);
  });

  it.each([
    ['is not a list of names', '<s:list itemType="s:int" />'],
    [
      'is not a list of names',
      '<s:restriction base="s:string"><s:enumeration value="a" /></s:restriction><s:list />',
    ],
    ['has no values', '<s:restriction base="s:string" />'],
  ])('is rejected if an enumeration %s: %s', async (message, parts) => {
    const error = new ContractError(
      `The service description Types cannot be served: the type Grade ${message}.`,
    );
    const grade = /(?<=<s:simpleType name="Grade">)[^]*?(?=<\/s:simpleType>)/;
    await expect(read(grade, parts)).rejects.toEqual(error);
  });
});
