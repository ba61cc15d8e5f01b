// The wire contract, section 8.1: what is read from a description, and which cannot be served.

import { readContract } from '../../../src/asmx/contract/contract-reader';
import { loadDescription } from '../../../src/asmx/soap/node-soap';
import type { ValueType } from '../../../src/asmx/contract/values';
import { ContractError } from '../../../src/asmx/contract/operation';
import { readDescription } from '../../../scripts/harness';
import { element, listOf } from '../../harness/contract-types';

const DESCRIPTION = readDescription('NotificationNotes');

/** A place in the description, and its replacement. */
type Edit = readonly [place: string | RegExp, instead: string];

async function read(...edits: readonly Edit[]) {
  const edited = edits.reduce((text, [place, instead]) => {
    if (text.search(place) < 0 && !text.includes(String(place)))
      throw new Error(`There is no ${String(place)}`);
    return text.replace(place, instead);
  }, DESCRIPTION);
  return readContract(await loadDescription(edited));
}

function cases(...rows: readonly (readonly [what: string, ...edits: Edit[]])[]) {
  return rows.map(([what, ...edits]) => ({ what, edits }));
}

const ALL = new Set(['soap11', 'soap12', 'get', 'post']);
const STUDENT_INFO: ValueType = {
  kind: 'record',
  name: 'StudentInfo',
  attributes: [],
  elements: ['id_student', 'fullName', 'id_device', 'ShowActive'].map((name) => element(name, 'string')),
};
const GET_STUDENTS = {
  name: 'GetStudentSchool',
  parameters: [element('school_base_url', 'string'), element('show_active', 'char')],
  responseElement: 'GetStudentSchoolResponse',
  result: element(
    'GetStudentSchoolResult',
    listOf(element('StudentInfo', STUDENT_INFO, { nillable: true, optional: true })),
  ),
  bindings: ALL,
};
const SEND_MARKS = {
  name: 'SendMarkNotes',
  parameters: ['id', 'id_class', 'baseUrlSchool'].map((name) => element(name, 'string')),
  responseElement: 'SendMarkNotesResponse',
  result: undefined,
  bindings: ALL,
};
const CONTRACT = {
  name: 'NotificationNotes',
  path: '/NotificationNotes.asmx',
  namespace: 'http://tempuri.org/',
  operations: [GET_STUDENTS, SEND_MARKS],
};

const CHAR = 'name="show_active" type="s1:char"';
const BODIES = /<(soap\w*):body use="literal" \/>/g;
const PARAMETER = 'the element show_active of the request of GetStudentSchool';
const HTTP_GET =
  /<wsdl:operation name="SendMarkNotes">(?=\s*<wsdl:input message="tns:SendMarkNotesHttpGetIn")/;

describe('the contract', () => {
  it.each(
    cases(
      ['without changes'],
      [
        'with a service that has documentation',
        ['<wsdl:service name="NotificationNotes">', '$&<wsdl:documentation name="d" />'],
      ],
      [
        'with a port type that has documentation',
        ['<wsdl:portType name="NotificationNotesHttpGet">', '$&<wsdl:documentation name="d" />'],
      ],
      [
        'with a namespace declared where it is used',
        [CHAR, 'xmlns:t="http://microsoft.com/wsdl/types/" name="show_active" type="t:char"'],
      ],
      [
        'with a namespace declared on the schema',
        ['<s:schema elementFormDefault="qualified"', '$& xmlns:t="http://microsoft.com/wsdl/types/"'],
        [CHAR, 'name="show_active" type="t:char"'],
      ],
    ),
  )('is read from a description $what', async ({ edits }) => {
    expect(await read(...edits)).toEqual(CONTRACT);
  });

  it('leaves out a binding if the operation or its port is not named', async () => {
    const bindings = new Set(['soap11', 'soap12', 'post']);
    const sendMarks = { ...SEND_MARKS, bindings };
    expect((await read([HTTP_GET, '<wsdl:operation>'])).operations).toEqual([GET_STUDENTS, sendMarks]);
    const withoutGet = [{ ...GET_STUDENTS, bindings }, sendMarks];
    expect((await read(['<wsdl:port name="NotificationNotesHttpGet"', '<wsdl:port'])).operations).toEqual(
      withoutGet,
    );
  });

  it.each(
    cases(
      ['it has no operation', [/<wsdl:port [^]*<\/wsdl:port>/, '']],
      ['it lacks a targetNamespace', [/ targetNamespace="http:\/\/tempuri.org\/"(?= xmlns:wsdl)/, '']],
      ['its address is not a URL: nowhere', [/(<soap:address location=")[^"]*/, '$1nowhere']],
      ['its address is not a URL: null', [/<soap:address [^>]*>/, '']],
      ['its ports have different addresses', [/(<http:address location=")[^"]*/, '$1http://localhost/']],
      [
        'its port NotificationNotesFtp is neither for SOAP nor for HTTP by its name',
        ['<wsdl:port name="NotificationNotesHttpGet"', '<wsdl:port name="NotificationNotesFtp"'],
      ],
      [
        'its port OtherHttpGet is neither for SOAP nor for HTTP by its name',
        ['<wsdl:port name="NotificationNotesHttpGet"', '<wsdl:port name="OtherHttpGet"'],
      ],
      [
        'it lacks the port type NotificationNotesHttpGet',
        ['<wsdl:portType name="NotificationNotesHttpGet">', '<wsdl:portType name="Other">'],
      ],
      [
        'it lacks the operation GetStudentSchool in its SOAP port type',
        ['<wsdl:portType name="NotificationNotesSoap">', '<wsdl:portType name="Other">'],
      ],
      ['it lacks the operation Extra in its SOAP port type', [HTTP_GET, '<wsdl:operation name="Extra">']],
      [
        `${PARAMETER} is of type unsignedInt, which is not served`,
        [CHAR, 'name="show_active" type="s:unsignedInt"'],
      ],
      [`${PARAMETER} is of type char, which is not served`, [CHAR, 'name="show_active" type="s:char"']],
      [`${PARAMETER} is of type string, which is not served`, [CHAR, 'name="show_active" type="s1:string"']],
      [`${PARAMETER} is of type char, which is not served`, [CHAR, 'name="show_active" type="t:char"']],
      [`${PARAMETER} is of type char, which is not served`, [CHAR, `xmlns:s1="urn:other" ${CHAR}`]],
      [`${PARAMETER} has no type by name`, [CHAR, 'name="show_active"']],
      ['the operation GetStudentSchool is of the style rpc', [/style="document"/g, 'style="rpc"']],
      ['the request of GetStudentSchool is encoded', [BODIES, '<$1:body use="encoded" />']],
      [
        'the request of GetStudentSchool has SOAP headers',
        [BODIES, '$&<$1:header message="tns:A" part="B" use="literal" />'],
      ],
      ['the element  of the request of GetStudentSchool has no name', [CHAR, 'type="s1:char"']],
      [
        'the element  of the response of GetStudentSchool has no name',
        [' name="GetStudentSchoolResult"', ''],
      ],
      [
        'the request of GetStudentSchool has a part of the kind any',
        ['<s:element minOccurs="1"', '<s:any name="any" />$&'],
      ],
      [
        'the request of GetStudentSchool has attributes',
        [/<s:complexType>(?=\s*<s:sequence>)/, '$&<s:attribute name="a" type="s:int" />'],
      ],
      [
        'the request of GetStudentSchool has elements without a namespace',
        [' elementFormDefault="qualified"', ''],
      ],
      [
        'the response of GetStudentSchool has more than one result',
        [
          '<s:element minOccurs="0" maxOccurs="1" name="GetStudentSchoolResult"',
          '<s:element name="a" type="s:int" />$&',
        ],
      ],
      [
        'the element GetStudentSchoolResult of the response of GetStudentSchool is of type Missing, which the document does not define',
        ['type="tns:ArrayOfStudentInfo"', 'type="tns:Missing"'],
      ],
      [
        'the element StudentInfo of the type ArrayOfStudentInfo is of type Missing, which the document does not define',
        ['type="tns:StudentInfo"', 'type="tns:Missing"'],
      ],
    ),
  )('cannot be read, and the error gives the reason: $what', async ({ what, edits }) => {
    const error = new ContractError(`The service description NotificationNotes cannot be served: ${what}.`);
    await expect(read(...edits)).rejects.toEqual(error);
    expect(error.name).toBe('ContractError');
  });

  it('cannot be read from a description without a service', async () => {
    const error = new ContractError('The service description has no service.');
    await expect(read([/<wsdl:service [^]*<\/wsdl:service>/, ''])).rejects.toEqual(error);
  });

  it('cannot be read from XML that is not well-formed, even if node-soap accepts it', async () => {
    const cut = loadDescription(DESCRIPTION.slice(0, -10));
    await expect(cut).rejects.toThrow(/^The service description is not well-formed XML: ./);
  });

  it('cannot be read from a document that node-soap does not load', async () => {
    await expect(loadDescription('<a/>')).rejects.toThrow(
      /^The service description cannot be loaded: .*WSDL/,
    );
  });
});
