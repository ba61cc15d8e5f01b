// The wire contract, section 8.1: what is read from a description, and which cannot be served.

import { loadDescription, readContract } from '../../../src/asmx/contract/contract-reader';
import { ContractError } from '../../../src/asmx/contract/service-contract';
import { readDescription } from '../../../scripts/harness';

const DESCRIPTION = readDescription('NotificationNotes');

/** A place in the description, and what stands there instead. */
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
const GET_STUDENTS = {
  name: 'GetStudentSchool',
  parameters: [
    { name: 'school_base_url', type: 'string' },
    { name: 'show_active', type: 'char' },
  ],
  responseElement: 'GetStudentSchoolResponse',
  result: {
    kind: 'list',
    element: 'GetStudentSchoolResult',
    root: 'ArrayOfStudentInfo',
    item: 'StudentInfo',
    fields: ['id_student', 'fullName', 'id_device', 'ShowActive'],
  },
  bindings: ALL,
};
const SEND_MARKS = {
  name: 'SendMarkNotes',
  parameters: ['id', 'id_class', 'baseUrlSchool'].map((name) => ({ name, type: 'string' })),
  responseElement: 'SendMarkNotesResponse',
  result: { kind: 'none' },
  bindings: ALL,
};
const CONTRACT = {
  name: 'NotificationNotes',
  path: '/NotificationNotes.asmx',
  namespace: 'http://tempuri.org/',
  operations: [GET_STUDENTS, SEND_MARKS],
};

const CHAR = 'name="show_active" type="s1:char"';
const HTTP_GET =
  /<wsdl:operation name="SendMarkNotes">(?=\s*<wsdl:input message="tns:SendMarkNotesHttpGetIn")/;

describe('the contract', () => {
  it.each(
    cases(
      ['as it stands'],
      [
        'with a service that has documentation',
        ['<wsdl:service name="NotificationNotes">', '$&<wsdl:documentation name="d" />'],
      ],
      [
        'with a port type that has documentation',
        ['<wsdl:portType name="NotificationNotesHttpGet">', '$&<wsdl:documentation name="d" />'],
      ],
      [
        'with something but elements among the parameters',
        ['<s:element minOccurs="1"', '<s:any name="any" />$&'],
      ],
      [
        'with an attribute before the parameters',
        [/<s:complexType>(?=\s*<s:sequence>)/, '$&<s:attribute name="a" type="s:int" />'],
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

  it('leaves out a binding where nothing names the operation or its port', async () => {
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
      ['it lacks the name of a parameter', [CHAR, 'type="s1:char"']],
      [
        'the parameter show_active is of type int, and only string and char are served',
        [CHAR, 'name="show_active" type="s:int"'],
      ],
      [
        'the parameter show_active is of type char, and only string and char are served',
        [CHAR, 'name="show_active" type="s:char"'],
      ],
      [
        'the parameter show_active is of type string, and only string and char are served',
        [CHAR, 'name="show_active" type="s1:string"'],
      ],
      [
        'the parameter show_active is of type int, and only string and char are served',
        [CHAR, 'name="show_active" type="s1:int"'],
      ],
      [
        'the parameter show_active is of type char, and only string and char are served',
        [CHAR, 'name="show_active" type="t:char"'],
      ],
      [
        'the parameter show_active is of type char, and only string and char are served',
        [CHAR, `xmlns:s1="urn:other" ${CHAR}`],
      ],
      [
        'the parameter show_active is of type , and only string and char are served',
        [CHAR, 'name="show_active"'],
      ],
      ['it lacks the name of a result', [' name="GetStudentSchoolResult"', '']],
      [
        'the result GetStudentSchoolResult is neither a string nor a list',
        ['maxOccurs="unbounded"', 'maxOccurs="1"'],
      ],
      [
        'the result GetStudentSchoolResult is neither a string nor a list',
        [/<s:sequence>(?=\s*<s:element[^>]*unbounded)[^]*?<\/s:sequence>/, ''],
      ],
      [
        'it lacks the complexType int',
        [
          'name="GetStudentSchoolResult" type="tns:ArrayOfStudentInfo"',
          'name="GetStudentSchoolResult" type="s:int"',
        ],
      ],
      [
        'it lacks the complexType string',
        [
          'name="GetStudentSchoolResult" type="tns:ArrayOfStudentInfo"',
          'name="GetStudentSchoolResult" type="tns:string"',
        ],
      ],
      [
        'it lacks the complexType Some',
        [
          'name="GetStudentSchoolResult" type="tns:ArrayOfStudentInfo"',
          'name="GetStudentSchoolResult" type="t:Some"',
        ],
      ],
      ['it lacks the complexType Missing', ['type="tns:StudentInfo"', 'type="tns:Missing"']],
      ['it lacks the name of the items of ArrayOfStudentInfo', ['name="StudentInfo" nillable', 'nillable']],
      ['it lacks the name of a field of ArrayOfStudentInfo', [' name="fullName"', '']],
    ),
  )('cannot be read, and the error says why: $what', async ({ what, edits }) => {
    const error = new ContractError(`The service description NotificationNotes cannot be served: ${what}.`);
    await expect(read(...edits)).rejects.toEqual(error);
    expect(error.name).toBe('ContractError');
  });

  it('cannot be read from a description without a service', async () => {
    const error = new ContractError('The service description has no service.');
    await expect(read([/<wsdl:service [^]*<\/wsdl:service>/, ''])).rejects.toEqual(error);
  });

  it('cannot be read from what is not well-formed, which node-soap would take', async () => {
    const cut = loadDescription(DESCRIPTION.slice(0, -10));
    await expect(cut).rejects.toThrow(/^The service description is not well-formed XML: ./);
  });

  it('cannot be read from what node-soap does not load', async () => {
    await expect(loadDescription('<a/>')).rejects.toThrow(
      /^The service description cannot be loaded: .*WSDL/,
    );
  });
});
