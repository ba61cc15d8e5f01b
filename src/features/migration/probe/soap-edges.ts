import { type Probe, type SoapChoice, soapRequest } from './requests';
import {
  makeAction,
  callElement,
  envelope,
  ENVELOPES,
  parameterNames,
  parameterElements,
  type SoapVersion,
  type Subject,
} from './subject';

/** Letters available in every encoding here. */
const LETTERS = 'ÇığÖşü';
/** Letters that iso-8859-9 has in place of others in iso-8859-1. */
const LATIN5: Readonly<Record<string, number>> = { Ğ: 0xd0, İ: 0xdd, Ş: 0xde, ğ: 0xf0, ı: 0xfd, ş: 0xfe };

type Encode = (text: string) => Buffer;

const utf8: Encode = (text) => Buffer.from(text);
const latin5: Encode = (text) =>
  Buffer.from(
    Array.from(
      text,
      (letter) => LATIN5[letter] ?? (letter.charCodeAt(0) < 0x100 ? letter.charCodeAt(0) : 0x3f),
    ),
  );
const utf16: Encode = (text) => Buffer.from(text, 'utf16le');
const utf16be: Encode = (text) => utf16(text).swap16();
const marked =
  (encode: Encode): Encode =>
  (text) =>
    encode(`\ufeff${text}`);

/** Name of the case, charset of the type, encoding of the declaration, and encoder. */
const ENCODINGS: readonly (readonly [string, string | undefined, string, Encode])[] = [
  ['in UTF-8', 'utf-8', 'utf-8', utf8],
  ['in UTF-8 without a charset', undefined, 'utf-8', utf8],
  ['in UTF-8 with a byte order mark', 'utf-8', 'utf-8', marked(utf8)],
  ['in UTF-8 with a byte order mark and another charset', 'iso-8859-9', 'iso-8859-9', marked(utf8)],
  ['in UTF-8 with another declaration', 'utf-8', 'utf-16', utf8],
  ['in broken UTF-8', 'utf-8', 'utf-8', latin5],
  ['in UTF-16 with a byte order mark', 'utf-16', 'utf-16', marked(utf16)],
  ['in UTF-16 without a byte order mark', 'utf-16', 'utf-16', utf16],
  ['in UTF-16 without a charset', undefined, 'utf-16', marked(utf16)],
  ['in UTF-16 in the other byte order', 'utf-16', 'utf-16', marked(utf16be)],
  ['in iso-8859-9', 'iso-8859-9', 'iso-8859-9', latin5],
  ['in iso-8859-9 by its declaration', undefined, 'iso-8859-9', latin5],
  ['in windows-1254', 'windows-1254', 'windows-1254', latin5],
  ['in iso-8859-9 as iso-8859-1', 'iso-8859-1', 'utf-8', latin5],
  ['in UTF-8 as us-ascii', 'us-ascii', 'us-ascii', utf8],
];

/** Returns the same call in several encodings: name of the case, charset of the type, and body. */
function encodedBodies(subject: Subject): readonly (readonly [string, string | undefined, Buffer])[] {
  const first = subject.operation.parameters.find(({ type }) => type.name === 'string');
  const values = { ...subject.values, ...(first !== undefined && { [first.name]: LETTERS }) };
  const call = callElement({ ...subject, values });
  return ENCODINGS.map(([name, charset, encoding, encode]) => [
    name,
    charset,
    encode(envelope('soap11', call, { encoding })),
  ]);
}

const VERSIONS: readonly SoapVersion[] = ['soap11', 'soap12'];
const UNKNOWN = 'NoSuchOperation';

/** Returns SOAP calls at the limits of what a server accepts (wire contract, sections 3 to 6). */
export function soapEdges(subject: Subject): readonly Probe[] {
  return [
    ...VERSIONS.flatMap((version) =>
      [...parameterEdges(subject), ...documentEdges(subject, version)].map(([name, body]): Probe => [
        `${version} ${name}`,
        soapRequest(subject, version, {
          body: typeof body === 'string' ? body : envelope(version, body.inBody),
        }),
      ]),
    ),
    ...headEdges(subject).map(([version, name, choice]): Probe => [
      `${version} ${name}`,
      soapRequest(subject, version, choice),
    ]),
    ...encodedBodies(subject).map(([name, charset, body]): Probe => {
      const contentType = charset === undefined ? 'text/xml' : `text/xml; charset=${charset}`;
      return [`soap11 ${name}`, soapRequest(subject, 'soap11', { contentType, body })];
    }),
  ];
}

/** A whole document, or the content of its body. */
type EdgeContent = string | { readonly inBody: string };

function parameterEdges(subject: Subject): readonly (readonly [string, EdgeContent])[] {
  const names = parameterNames(subject.operation);
  const all = parameterElements(subject);
  const whole = (content: string): EdgeContent => ({ inBody: callElement(subject, content) });
  return [
    ...names.flatMap((name): (readonly [string, EdgeContent])[] => {
      const others = parameterElements(
        subject,
        names.filter((other) => other !== name),
      );
      return [
        [`without ${name}`, whole(others)],
        [`with an empty ${name}`, whole(`${others}<${name} />`)],
        [`with a nil ${name}`, whole(`${others}<${name} xsi:nil="true" />`)],
        [`with ${name} in no namespace`, whole(`${others}<${name} xmlns="">1</${name}>`)],
        [`with an element in ${name}`, whole(`${others}<${name}><a>1</a></${name}>`)],
        [
          `with CDATA, a comment and white space in ${name}`,
          whole(`${others}<${name}> <![CDATA[<]]><!-- -->&#x41;\r\n</${name}>`),
        ],
        [`with a long ${name}`, whole(`${others}<${name}>${'a'.repeat(3000)}</${name}>`)],
      ];
    }),
    ['without parameters', whole('')],
    ['with parameters in another order', whole(parameterElements(subject, [...names].reverse()))],
    ['with parameters twice', whole(all + all)],
    ['with an unknown parameter', whole(`${all}<noSuchParameter>1</noSuchParameter>`)],
    ['with text between parameters', whole(`text${all}`)],
  ];
}

function documentEdges(subject: Subject, version: SoapVersion): readonly (readonly [string, EdgeContent])[] {
  const call = callElement(subject);
  const usual = envelope(version, call);
  const { name } = subject.operation;
  const header = (content: string) => `<soap:Header>${content}</soap:Header>`;
  const demand = version === 'soap11' ? '1' : 'true';
  return [
    ['of nothing', ''],
    ['of white space', ' \r\n'],
    ['of text', 'hello'],
    ['truncated', usual.slice(0, -20)],
    ['with content after its end', `${usual}<more />`],
    ['with a document type', usual.replace('?>', '?><!DOCTYPE a>')],
    ['with an undeclared entity', { inBody: callElement(subject, '&nbsp;') }],
    ['with an undeclared prefix', { inBody: '<a:b />' }],
    ['without a declaration', usual.slice(usual.indexOf('?>') + 2)],
    ['of another root', '<a />'],
    [
      'in the envelope of another version',
      envelope(version, call, { namespace: 'http://schemas.example/soap/' }),
    ],
    ['without a body', `<soap:Envelope xmlns:soap="${ENVELOPES[version]}" />`],
    ['with an empty body', { inBody: '' }],
    ['with text in its body', { inBody: 'text' }],
    ['with two calls', { inBody: call + call }],
    ['of an unknown operation', { inBody: call.replaceAll(name, UNKNOWN) }],
    ['of the operation in lower case', { inBody: call.replaceAll(name, name.toLowerCase()) }],
    [
      'of the operation in another namespace',
      { inBody: call.replace(/xmlns="[^"]*"/, 'xmlns="http://other.example/"') },
    ],
    ['with a header', envelope(version, call, { header: header('<a xmlns="http://other.example/">1</a>') })],
    [
      'with a header that must be understood',
      envelope(version, call, {
        header: header(`<a xmlns="http://other.example/" soap:mustUnderstand="${demand}" />`),
      }),
    ],
    [
      'with an encoding style',
      envelope(version, call).replace(
        '<soap:Body',
        '<soap:Body soap:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"',
      ),
    ],
  ];
}

function headEdges(subject: Subject): readonly (readonly [SoapVersion, string, SoapChoice])[] {
  const action = makeAction(subject);
  const unknown = action.replace(/(?<![^/])[^/]*$/, UNKNOWN);
  const types: readonly (string | undefined)[] = [
    ...[
      undefined,
      '',
      'text/xml',
      'TEXT/XML; Charset="UTF-8"',
      'text/xml; charset=no-such-charset',
      'text/xml ; charset=utf-8',
    ],
    ...[
      'text/plain',
      'text/html; charset=utf-8',
      'application/xml',
      'application/json',
      'application/x-www-form-urlencoded',
    ],
    ...['multipart/related; type="text/xml"', 'application/soap+xml; charset=utf-8'],
  ];
  return [
    ['soap11', 'without SOAPAction', { actions: [] }],
    ['soap11', 'with an empty SOAPAction', { actions: [''] }],
    ['soap11', 'with a quoted empty SOAPAction', { actions: ['""'] }],
    ['soap11', 'with SOAPAction unquoted', { actions: [action] }],
    ['soap11', 'with SOAPAction escaped', { actions: [`"${encodeURIComponent(action)}"`] }],
    ['soap11', 'with two SOAPActions', { actions: [`"${unknown}"`, `"${action}"`] }],
    ['soap11', 'with an unknown SOAPAction', { actions: [`"${unknown}"`] }],
    ['soap11', 'with the name as SOAPAction', { actions: [`"${subject.operation.name}"`] }],
    ['soap12', 'without an action', { contentType: 'application/soap+xml; charset=utf-8' }],
    ['soap12', 'with an unknown action', { contentType: `application/soap+xml; action="${unknown}"` }],
    ['soap12', 'with SOAPAction', { actions: [`"${action}"`] }],
    ['soap12', 'of type text/xml', { contentType: 'text/xml; charset=utf-8' }],
    ...types.map((contentType): readonly [SoapVersion, string, SoapChoice] => [
      'soap11',
      contentType === undefined ? 'without a type' : `of type "${contentType}"`,
      { contentType },
    ]),
    ...['?wsdl', `?op=${subject.operation.name}`, '?a=b'].map(
      (query): readonly [SoapVersion, string, SoapChoice] => ['soap11', `behind ${query}`, { query }],
    ),
  ];
}
