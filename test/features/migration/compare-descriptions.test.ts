import { ENDPOINT_NAMES, readDescription } from '../../../scripts/harness';
import { compareDescriptions } from '../../../src/features/migration/descriptions';
import { answer } from './verdict/answers';

const NOTES = readDescription('NotificationNotes');
const TOKEN = '/NotificationNotes/SOAP 1.1/GetStudentSchool';

function compare(old: string, ours: string) {
  return compareDescriptions(answer(old), answer(ours));
}

/** The description with a text of it replaced, everywhere. */
function changed(before: string | RegExp, after: string): string {
  const text = NOTES.replaceAll(before instanceof RegExp ? new RegExp(before, 'gs') : before, after);
  if (text === NOTES) throw new Error('Nothing was replaced');
  return text;
}

describe('two service descriptions', () => {
  it.each(ENDPOINT_NAMES)('of %s are equal byte for byte', (name) => {
    const description = readDescription(name);
    expect(compare(description, description)).toEqual({ level: 'bytes', differences: [] });
  });

  it.each([
    ['prefixes', changed(/([<"/])s:/, '$1xs:').replace('xmlns:s=', 'xmlns:xs=')],
    ['formatting', changed(/>\s+</, '><')],
    ['the host', changed('http://localhost/', 'https://school.example:8443/')],
    ['names of messages', changed('GetStudentSchoolSoapIn', 'Message1')],
    ['names of ports and bindings', changed('NotificationNotesSoap12"', 'Second"')],
    ['the default style', changed('GetStudentSchool" style="document"', 'GetStudentSchool"')],
    [
      'extensions of others',
      changed(
        '<soap:operation soapAction="http://tempuri.org/GetStudentSchool"',
        '<x:policy xmlns:x="urn:x" style="rpc"/><soap:operation soapAction="http://tempuri.org/GetStudentSchool"',
      ),
    ],
    ['parts of a body', changed('<soap:body use', '<soap:body part="parameters" use')],
    [
      'the order of operations',
      changed(
        /(<wsdl:operation name="GetStudentSchool">.*?<\/wsdl:operation>)(\s*)(<wsdl:operation.*?<\/wsdl:operation>)/,
        '$3$2$1',
      ),
    ],
    [
      'documentation',
      changed(
        '<wsdl:service name="NotificationNotes">',
        '<wsdl:service name="NotificationNotes"><wsdl:documentation>Notes</wsdl:documentation>',
      ),
    ],
  ])('are equal except for %s', (_, other) => {
    expect(compare(NOTES, other)).toMatchObject({ level: 'xml', differences: [{ what: 'writing' }] });
  });

  it.each([
    [
      'an action',
      '"http://tempuri.org/GetStudentSchool"',
      '"http://tempuri.org/Get"',
      `${TOKEN}/soapAction`,
      'changed',
    ],
    [
      'the path of an address',
      '/NotificationNotes.asmx',
      '/Notes.asmx',
      '/NotificationNotes/SOAP 1.1/address',
      'changed',
    ],
    [
      'a type',
      'name="id_class" type="s:string"',
      'name="id_class" type="s:int"',
      '/NotificationNotes/SOAP 1.1/SendMarkNotes/input/SendMarkNotes/id_class',
      'changed',
    ],
    [
      'the number of occurrences of a parameter',
      'minOccurs="1" maxOccurs="1" name="show_active"',
      'minOccurs="0" maxOccurs="1" name="show_active"',
      `${TOKEN}/input/GetStudentSchool/show_active`,
      'changed',
    ],
    [
      'the restrictions of a simple type',
      's:unsignedShort',
      's:string',
      `${TOKEN}/input/GetStudentSchool/show_active`,
      'changed',
    ],
    [
      'a field of a result',
      '<s:element minOccurs="0" maxOccurs="1" name="id_device" type="s:string" />',
      '',
      `${TOKEN}/output/GetStudentSchoolResponse/GetStudentSchoolResult/StudentInfo/id_device`,
      'missing',
    ],
    [
      'an additional parameter',
      '<s:element minOccurs="0" maxOccurs="1" name="id" type="s:string" />',
      '<s:element name="id" minOccurs="0" type="s:string" /><s:element name="more" type="s:string" />',
      '/NotificationNotes/SOAP 1.1/SendMarkNotes/input/SendMarkNotes/more',
      'added',
    ],
    [
      'a missing operation',
      /<wsdl:operation name="SendMarkNotes">.*?<\/wsdl:operation>/,
      '',
      '/NotificationNotes/SOAP 1.1/SendMarkNotes',
      'missing',
    ],
    [
      'a missing binding',
      /<wsdl:port name="NotificationNotesHttpGet".*?<\/wsdl:port>/,
      '',
      '/NotificationNotes/GET',
      'missing',
    ],
    ['the namespace', 'http://tempuri.org/', 'http://school.example/', '/targetNamespace', 'changed'],
    [
      'the form of elements',
      'elementFormDefault="qualified"',
      '',
      `${TOKEN}/input/GetStudentSchool/school_base_url`,
      'changed',
    ],
    [
      'the encoding of a request',
      '<http:urlEncoded />',
      '<http:urlReplacement />',
      '/NotificationNotes/GET/GetStudentSchool/input',
      'changed',
    ],
    [
      'the location of an operation',
      'location="/GetStudentSchool"',
      'location="/Get"',
      '/NotificationNotes/GET/GetStudentSchool/location',
      'changed',
    ],
    [
      'the style of an operation',
      'GetStudentSchool" style="document"',
      'GetStudentSchool" style="rpc"',
      `${TOKEN}/style`,
      'changed',
    ],
    [
      'the use of a body',
      '<soap:body use="literal" />',
      '<soap:body use="encoded" />',
      `${TOKEN}/input`,
      'changed',
    ],
    ['the verb', 'verb="POST"', 'verb="PUT"', '/NotificationNotes/POST', 'missing'],
  ])('differ in %s', (_, before, after, place, what) => {
    const { level, differences } = compare(NOTES, changed(before, after));
    expect(level).toBe('different');
    expect(differences.map((difference) => `${difference.what} ${difference.place}`)).toContain(
      `${what} ${place}`,
    );
    // The other way round it is the same place.
    const back = compare(changed(before, after), NOTES).differences.map((difference) => difference.place);
    expect(back).toContain(place);
  });

  it('differ in attributes of types, and in referenced elements', () => {
    const type = (inside: string) =>
      changed(
        /<s:complexType name="StudentInfo">.*?<\/s:complexType>/,
        `<s:complexType name="StudentInfo">${inside}</s:complexType>`,
      );
    const student = `${TOKEN}/output/GetStudentSchoolResponse/GetStudentSchoolResult/StudentInfo`;
    const attribute = (name: string) => `<s:attribute name="id" type="s:${name}" />`;
    expect(compare(type(attribute('string')), type(attribute('int'))).differences).toContainEqual({
      ...{ part: 'body', place: `${student}/@id`, what: 'changed', level: 'different' },
      ...{ old: '{http://www.w3.org/2001/XMLSchema}string', ours: '{http://www.w3.org/2001/XMLSchema}int' },
    });
    const reference = (minimum: number) =>
      type(`<s:sequence><s:element minOccurs="${String(minimum)}" ref="tns:SendMarkNotes" /></s:sequence>`);
    expect(compare(reference(0), reference(1)).differences).toContainEqual(
      expect.objectContaining({ place: `${student}/SendMarkNotes`, what: 'changed' }),
    );
  });

  it('report a missing part once, not each thing in it', () => {
    const other = changed(/<wsdl:operation name="SendMarkNotes">.*?<\/wsdl:operation>/, '');
    const places = compare(NOTES, other).differences.map(({ place }) => place);
    expect(places).toEqual(
      ['SOAP 1.1', 'SOAP 1.2', 'GET', 'POST'].map((kind) => `/NotificationNotes/${kind}/SendMarkNotes`),
    );
  });

  it('are equal except for the order of parameters', () => {
    const other = changed(
      /(<s:element [^>]*name="id_class"[^>]*>)(\s*)(<s:element [^>]*name="baseUrlSchool"[^>]*>)/,
      '$3$2$1',
    );
    expect(compare(NOTES, other)).toMatchObject({
      level: 'order',
      differences: [
        { place: '/NotificationNotes/SOAP 1.1/SendMarkNotes/input/SendMarkNotes', what: 'order' },
        { place: '/NotificationNotes/SOAP 1.2/SendMarkNotes/input/SendMarkNotes', what: 'order' },
      ],
    });
  });

  it.each([
    ['a page', '<html><body>', 200],
    ['other XML', '<a/>', 200],
    ['nothing', '', 404],
  ])('cannot be compared if one is %s', (_, body, status) => {
    const verdict = compareDescriptions(answer(NOTES), answer(body, undefined, status));
    expect(verdict).toMatchObject({
      level: 'different',
      differences: [
        {
          what: 'malformed',
          old: 'a service description',
          ours: `status ${String(status)}, no service description`,
        },
      ],
    });
  });

  it('with types nested many times over are compared quickly', () => {
    const type = (at: number) =>
      `<s:complexType name="T${String(at)}"><s:sequence>${Array.from({ length: 20 }, (_, member) => `<s:element name="m${String(member)}" type="tns:T${String(at + 1)}"/>`).join('')}</s:sequence></s:complexType>`;
    const types = Array.from({ length: 12 }, (_, at) => type(at)).join('');
    const hostile = changed(
      '<s:element name="SendMarkNotesResponse">',
      `${types}<s:element name="SendMarkNotesResponse">`,
    ).replaceAll('type="tns:StudentInfo"', 'type="tns:T0"');
    expect(compare(NOTES, hostile).level).toBe('different');
    expect(compare(hostile, `${hostile} `).level).toBe('xml');
  });
});
