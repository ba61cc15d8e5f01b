// The wire contract, section 3, step 5.

import { gzipSync } from 'node:zlib';

import {
  emptyAnswer,
  emptyOf,
  fault11,
  fault12,
  ok11,
  token11Is,
  token12Is,
} from '../../harness/asmx-answers';
import {
  call,
  envelope11,
  envelope12,
  NAMESPACE,
  SOAP_11,
  SOAP_12,
  SOAP_XML,
  soap11,
  TEXT_XML,
  tokenMessage11,
  tokenMessage12,
  withHeaders,
} from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const reference = useReference();

const TOKEN = call('GetTokenDevice', { id: '7' });
const ACTION = `; action="${NAMESPACE}GetTokenDevice"`;

function ask11(body: string | Uint8Array) {
  return reference.ask(tokenMessage11(body));
}

function ask12(body: string | Uint8Array) {
  return reference.ask(tokenMessage12(body, ACTION));
}

/** The message in both versions, `soap` bound to the one asked. */
function inEnvelope(namespace: string, content: string, attributes = ''): string {
  return `<soap:Envelope xmlns:soap="${namespace}"${attributes}>${content}</soap:Envelope>`;
}

describe('a message that is not well-formed is rejected with 400 and no body:', () => {
  const inId = (markup: string): string => call('GetTokenDevice', { id: markup });

  it.each([
    ['a bare ampersand', inId('a & b')],
    ['a bare less-than sign', inId('a < b')],
    [']]> in text', inId('a ]]> b')],
    ['an undeclared entity', inId('&nbsp;')],
    ['an entity of HTML', inId('&eacute;')],
    ['a reference without a semicolon', inId('&amp')],
    ['a reference to NUL', inId('&#0;')],
    ['a reference to a control character', inId('&#1;')],
    ['a reference to U+FFFF', inId('&#xFFFF;')],
    ['a reference to a lone surrogate', inId('&#xD83D;')],
    ['two references to the halves of a pair', inId('&#xD83D;&#xDE00;')],
    ['a reference beyond Unicode', inId('&#x110000;')],
    ['an empty reference', inId('&#;')],
    ['a raw control character', inId('a\u0001b')],
    ['a raw NUL', inId('a\0b')],
    ['a raw U+FFFE', inId('\uFFFE')],
    ['an unclosed CDATA section', inId('<![CDATA[x')],
    ['an unclosed comment', inId('<!-- x')],
    ['two hyphens in a comment', `<!-- a -- b -->${TOKEN}`],
    ['an unclosed element', `<GetTokenDevice xmlns="${NAMESPACE}"><id>7</GetTokenDevice>`],
    ['an end tag in another letter case', `<GetTokenDevice xmlns="${NAMESPACE}"><id>7</ID></GetTokenDevice>`],
    ['an end tag of another prefix', `<a:b xmlns:a="urn:a" xmlns:c="urn:a"></c:b>${TOKEN}`],
    ['an undeclared prefix on an element', '<t:GetTokenDevice><id>7</id></t:GetTokenDevice>'],
    ['an undeclared prefix on an attribute', `<GetTokenDevice xmlns="${NAMESPACE}" t:x="1"/>`],
    ['a duplicate attribute', `<GetTokenDevice xmlns="${NAMESPACE}" a="1" a="2"/>`],
    [
      'an attribute twice by namespace',
      `<GetTokenDevice xmlns="${NAMESPACE}" xmlns:p="urn:p" xmlns:q="urn:p" p:a="1" q:a="2"/>`,
    ],
    ['an attribute without quotes', `<GetTokenDevice xmlns="${NAMESPACE}" a=1/>`],
    ['an attribute without a value', `<GetTokenDevice xmlns="${NAMESPACE}" a/>`],
    ['a less-than sign in an attribute', `<GetTokenDevice xmlns="${NAMESPACE}" a="<"/>`],
    ['attributes that touch', `<GetTokenDevice xmlns="${NAMESPACE}" a="1"b="2"/>`],
    ['a name that begins with a digit', '<1a/>'],
    ['a blank before the name', '< a/>'],
    ['a prefix bound to nothing', '<p:a xmlns:p=""/>'],
    ['a processing instruction named xml', `<?xml version="1.0"?>${TOKEN}`],
    ['a DOCTYPE inside the Body', '<!DOCTYPE a>'],
  ])('%s', async (_what, content) => {
    expect(await ask11(envelope11(content))).toEqual(emptyAnswer(400, TEXT_XML));
    expect(await ask12(envelope12(content))).toEqual(emptyAnswer(400, SOAP_XML));
  });

  const around = (make: (message: string) => string): [string | Uint8Array, string | Uint8Array] => [
    make(envelope11(TOKEN)),
    make(envelope12(TOKEN)),
  ];

  it.each([
    ['text after the Envelope', (message: string) => `${message}x`],
    ['a second root', (message: string) => `${message}<a/>`],
    ['a second Envelope', (message: string) => message + message.replace(/<\?xml.*?\?>/, '')],
    ['NUL after the Envelope', (message: string) => `${message}\0`],
    ['a blank before the declaration', (message: string) => ` ${message}`],
    ['a line end before the declaration', (message: string) => `\r\n${message}`],
    ['a cut end', (message: string) => message.slice(0, -10)],
    ['XML 1.1', (message: string) => message.replace('version="1.0"', 'version="1.1"')],
    ['no version', (message: string) => message.replace(' version="1.0"', '')],
  ])('%s', async (_what, make) => {
    const [body11, body12] = around(make);
    expect(await ask11(body11)).toEqual(emptyAnswer(400, TEXT_XML));
    expect((await ask12(body12)).status).toBe(400);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \r\n '],
    ['only a declaration', '<?xml version="1.0"?>'],
    ['JSON', '{"id":7}'],
    ['a form', 'id=7'],
    ['HTML', '<!DOCTYPE html><html></html>'],
    ['a DTD with an entity', `<!DOCTYPE a [<!ENTITY x "y">]>${inEnvelope(SOAP_11, '')}`],
    ['only a DTD', '<!DOCTYPE a>'],
    ['bytes', Uint8Array.from([0, 1, 2, 255])],
    ['a half tag', '<soap:Envelope'],
    ['a root of an undeclared prefix', '<soap:Envelope><soap:Body/></soap:Envelope>'],
  ])('%s', async (_what, body) => {
    expect(await ask11(body)).toEqual(emptyAnswer(400, TEXT_XML));
    expect(await ask12(body)).toEqual(emptyAnswer(400, SOAP_XML));
  });

  it('a compressed message, which is not decompressed', async () => {
    const request = tokenMessage11(gzipSync(envelope11(TOKEN)));
    expect(await reference.ask(withHeaders(request, ['Content-Encoding', 'gzip']))).toEqual(
      emptyAnswer(400, TEXT_XML),
    );
  });

  it('with the full reason phrase', async () => {
    const response = await reference.send(tokenMessage11('<'));
    expect(response.reason).toBe('Bad Request');
    expect(response.header('Content-Length')).toBe('0');
  });
});

describe('a message without an envelope is a client fault:', () => {
  const UNABLE = 'Server was unable to read request. ---> Request format is invalid: Missing required ';

  it.each([
    ['a root of another name', (ns: string) => `<e:Letter xmlns:e="${ns}"/>`],
    ['a root in another letter case', (ns: string) => `<e:envelope xmlns:e="${ns}"><e:Body/></e:envelope>`],
    ['a Body for a root', (ns: string) => `<e:Body xmlns:e="${ns}">${TOKEN}</e:Body>`],
  ])('%s', async (_what, body) => {
    const text = `${UNABLE}soap:Envelope element.`;
    expect(await ask11(body(SOAP_11))).toEqual(fault11('Client', text));
    expect(await ask12(body(SOAP_12))).toEqual(fault12('Sender', text));
  });

  it.each([
    ['a self-closed Envelope', (ns: string) => `<e:Envelope xmlns:e="${ns}"/>`],
    ['an empty Envelope', (ns: string) => `<e:Envelope xmlns:e="${ns}"></e:Envelope>`],
    ['only a Header', (ns: string) => inEnvelope(ns, '<soap:Header/>')],
    ['a Body of no namespace', (ns: string) => inEnvelope(ns, `<Body>${TOKEN}</Body>`)],
    ['a Body of another letter case', (ns: string) => inEnvelope(ns, `<soap:body>${TOKEN}</soap:body>`)],
    ['a Body inside the Header', (ns: string) => inEnvelope(ns, '<soap:Header><soap:Body/></soap:Header>')],
  ])('%s', async (_what, body) => {
    const text = `${UNABLE}soap:Body element.`;
    expect(await ask11(body(SOAP_11))).toEqual(fault11('Client', text));
    expect(await ask12(body(SOAP_12))).toEqual(fault12('Sender', text));
  });

  it('a Body of the other version', async () => {
    const body = `<a:Envelope xmlns:a="${SOAP_11}"><b:Body xmlns:b="${SOAP_12}">${TOKEN}</b:Body></a:Envelope>`;
    expect(await ask11(body)).toEqual(fault11('Client', `${UNABLE}soap:Body element.`));
  });
});

describe('a message is accepted', () => {
  it.each([
    ['without a declaration', (ns: string) => inEnvelope(ns, `<soap:Body>${TOKEN}</soap:Body>`)],
    [
      'with blanks and line ends after the Envelope',
      (ns: string) => `${inEnvelope(ns, `<soap:Body>${TOKEN}</soap:Body>`)}\r\n \t`,
    ],
    [
      'with comments and processing instructions everywhere',
      (ns: string) =>
        `<?xml version="1.0"?><!--a--><?b c?>${inEnvelope(
          ns,
          `<!--a--><soap:Header><!--a--></soap:Header><?b c?><soap:Body><!--a--><GetTokenDevice xmlns="${NAMESPACE}"><!--a--><id>7</id><?b c?></GetTokenDevice><!--a--></soap:Body><!--a-->`,
        )}<!--a--><?b c?>`,
    ],
    ['with an empty Header', (ns: string) => inEnvelope(ns, `<soap:Header/><soap:Body>${TOKEN}</soap:Body>`)],
    [
      'with text in the Header',
      (ns: string) => inEnvelope(ns, `<soap:Header>text</soap:Header><soap:Body>${TOKEN}</soap:Body>`),
    ],
    [
      'with a Header after the Body',
      (ns: string) => inEnvelope(ns, `<soap:Body>${TOKEN}</soap:Body><soap:Header/>`),
    ],
    [
      'with an element after the Body',
      (ns: string) => inEnvelope(ns, `<soap:Body>${TOKEN}</soap:Body><x xmlns="urn:x"/>`),
    ],
    [
      'with text between the parts',
      (ns: string) => inEnvelope(ns, `\n<soap:Body>\n${TOKEN}\n</soap:Body>\n`),
    ],
    [
      'with an encodingStyle',
      (ns: string) =>
        inEnvelope(
          ns,
          `<soap:Body soap:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">${TOKEN}</soap:Body>`,
          ' soap:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"',
        ),
    ],
    [
      'with attributes of its own',
      (ns: string) => inEnvelope(ns, `<soap:Body a="1" xml:lang="tr">${TOKEN}</soap:Body>`, ' b="2"'),
    ],
    [
      'with the prefixes of other tools',
      (ns: string) =>
        `<S:Envelope xmlns:S="${ns}" xmlns:E="${ns}"><E:Header/><S:Body><ns2:GetTokenDevice xmlns:ns2="${NAMESPACE}"><ns2:id>7</ns2:id></ns2:GetTokenDevice></S:Body></S:Envelope>`,
    ],
    [
      'with the SOAP namespace as the default one',
      (ns: string) =>
        `<Envelope xmlns="${ns}"><Body><t:GetTokenDevice xmlns:t="${NAMESPACE}"><t:id>7</t:id></t:GetTokenDevice></Body></Envelope>`,
    ],
    [
      'with another element before the operation',
      (ns: string) => inEnvelope(ns, `<soap:Body><Zzz xmlns="urn:z"><id>9</id></Zzz>${TOKEN}</soap:Body>`),
    ],
    [
      'with another element after the operation',
      (ns: string) => inEnvelope(ns, `<soap:Body>${TOKEN}<Zzz xmlns="urn:z"><id>9</id></Zzz></soap:Body>`),
    ],
    [
      'with a second Body, which is an element after the Body like any other',
      (ns: string) =>
        inEnvelope(
          ns,
          `<soap:Body>${TOKEN}</soap:Body><soap:Body>${call('GetTokenDevice', { id: '8' })}</soap:Body>`,
        ),
    ],
    [
      'with two calls, the last of which counts',
      (ns: string) => inEnvelope(ns, `<soap:Body>${call('GetTokenDevice', { id: '6' })}${TOKEN}</soap:Body>`),
    ],
    [
      'with a standalone declaration',
      (ns: string) =>
        `<?xml version='1.0' encoding='UTF-8' standalone='no'?>\n${inEnvelope(ns, `<soap:Body>${TOKEN}</soap:Body>`)}`,
    ],
    [
      'with a byte order mark',
      (ns: string) =>
        `\uFEFF<?xml version="1.0" encoding="utf-8"?>${inEnvelope(ns, `<soap:Body>${TOKEN}</soap:Body>`)}`,
    ],
    [
      'with xsi:nil on the operation',
      (ns: string) =>
        inEnvelope(
          ns,
          `<soap:Body>${TOKEN.replace('xmlns', 'xsi:nil="true" xmlns')}</soap:Body>`,
          ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
        ),
    ],
  ])('%s', async (_what, make) => {
    expect(await ask11(make(SOAP_11))).toEqual(token11Is('TOKEN-7'));
    expect(await ask12(make(SOAP_12))).toEqual(token12Is('TOKEN-7'));
  });

  it.each([
    ['no element', ''],
    ['text', 'junk'],
    ['another operation', call('AuthCode', { code: '1' })],
    ['the operation in another namespace', call('GetTokenDevice', { id: '7' }, 'urn:other')],
    ['the operation in no namespace', '<GetTokenDevice><id>7</id></GetTokenDevice>'],
    ['the operation in another letter case', call('getTokenDevice', { id: '7' })],
    ['the operation one level deeper', `<a>${TOKEN}</a>`],
  ])('and runs its operation without arguments if the Body contains %s', async (_what, content) => {
    expect(await ask11(envelope11(content))).toEqual(token11Is('ID-WAS-NULL'));
    expect(await ask12(envelope12(content))).toEqual(token12Is('ID-WAS-NULL'));
  });

  it('and runs only the operation of its action', async () => {
    const body = envelope11(call('AuthCode', { code: 'throw', phone: '1' }));
    expect(await reference.ask(soap11('NotificationNotes', 'SendMarkNotes', body))).toEqual(
      ok11(emptyOf('SendMarkNotes')),
    );
  });
});
