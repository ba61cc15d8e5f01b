// The wire contract, section 3, steps 1 and 2.

import {
  emptyOf,
  fault11,
  fault12,
  ok11,
  ok12,
  token11Is,
  token12Is,
  versionMismatch,
} from '../../harness/asmx-answers';
import {
  call,
  envelope,
  envelope11,
  envelope12,
  NAMESPACE,
  type RawRequest,
  soap12,
  SOAP_11,
  SOAP_12,
  SOAP_XML,
  TEXT_XML,
  token11,
  token12,
} from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const reference = useReference();

const PATH = '/PushNotificationMobile.asmx';
const TOKEN = call('GetTokenDevice', { id: '7' });
const NOPE = call('Nope', { id: '7' });
const ACTION = `${NAMESPACE}GetTokenDevice`;
const NO_ACTION =
  'Unable to handle request without a valid action parameter. Please supply a valid soap action.';

function post(body: string, ...headers: [string, string][]): RawRequest {
  return { path: PATH, headers, body };
}

function withAction(action: string, body = envelope11(TOKEN)): RawRequest {
  return post(body, ['Content-Type', TEXT_XML], ['SOAPAction', action]);
}

function withoutAction(body: string, contentType = TEXT_XML): RawRequest {
  return post(body, ['Content-Type', contentType]);
}

function unknownAction(action: string) {
  return fault11('Client', `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`);
}

describe('a request with a SOAPAction', () => {
  it.each([
    ['quoted', `"${ACTION}"`],
    ['bare', ACTION],
    ['between blanks', `   "${ACTION}"  `],
    ['percent-encoded', encodeURIComponent(ACTION)],
    ['percent-encoded within quotes', `"${encodeURIComponent(ACTION)}"`],
    ['with one encoded letter', `"${NAMESPACE}GetToken%44evice"`],
    ['with a lower-case escape', `"http%3a//tempuri.org/GetTokenDevice"`],
  ])('runs the operation it names: %s', async (_what, action) => {
    expect(await reference.ask(withAction(action))).toEqual(token11Is('TOKEN-7'));
  });

  it('accepts the header name in any letter case', async () => {
    const request = post(envelope11(TOKEN), ['content-type', TEXT_XML], ['SOAPACTION', `"${ACTION}"`]);
    expect(await reference.ask(request)).toEqual(token11Is('TOKEN-7'));
  });

  it('accepts the doubled slash before the operation, as some clients join namespace and name', async () => {
    const request = withAction(`"${NAMESPACE}/GetTokenDevice"`);
    expect(await reference.ask(request)).toEqual(token11Is('TOKEN-7'));
  });

  it.each([
    ['', ''],
    ['""', ''],
    [`"${NAMESPACE}Nope"`, `${NAMESPACE}Nope`],
    [`${NAMESPACE}Nope`, `${NAMESPACE}Nope`],
    [`'${ACTION}'`, `'${ACTION}'`],
    [`"${ACTION}`, `"${ACTION}`],
    [`${ACTION}"`, `${ACTION}"`],
    [`""${ACTION}""`, `"${ACTION}"`],
    ['"', '"'],
    [`"${NAMESPACE}gettokendevice"`, `${NAMESPACE}gettokendevice`],
    [`"HTTP://tempuri.org/GetTokenDevice"`, 'HTTP://tempuri.org/GetTokenDevice'],
    ['"http://tempuri.orgGetTokenDevice"', 'http://tempuri.orgGetTokenDevice'],
    ['GetTokenDevice', 'GetTokenDevice'],
    [`" ${ACTION} "`, ` ${ACTION} `],
    [`"${ACTION}/"`, `${ACTION}/`],
    [`"${NAMESPACE}Get+TokenDevice"`, `${NAMESPACE}Get TokenDevice`],
    [`"${NAMESPACE}Get%20Token"`, `${NAMESPACE}Get Token`],
    ['"http%3A%2F%2Ftempuri.org%2FNope"', 'http://tempuri.org/Nope'],
    ['"<b>&amp;"', '<b>&amp;'],
    [`"${NAMESPACE}AuthCode"`, `${NAMESPACE}AuthCode`],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
  ])('rejects an unknown action: %s', async (header, shown) => {
    expect(await reference.ask(withAction(header))).toEqual(unknownAction(shown));
  });

  it('accepts an action of 8 KB', async () => {
    const long = `${NAMESPACE}${'x'.repeat(8000)}`;
    expect(await reference.ask(withAction(long))).toEqual(unknownAction(long));
  });

  it('uses the last of two', async () => {
    const two = (first: string, last: string): RawRequest =>
      post(
        envelope11(TOKEN),
        ['Content-Type', TEXT_XML],
        ['SOAPAction', `"${NAMESPACE}${first}"`],
        ['SOAPAction', `"${NAMESPACE}${last}"`],
      );
    expect(await reference.ask(two('GetTokenDevice', 'Nope'))).toEqual(unknownAction(`${NAMESPACE}Nope`));
    expect(await reference.ask(two('Nope', 'GetTokenDevice'))).toEqual(token11Is('TOKEN-7'));
  });

  it('ignores the body element when choosing the operation', async () => {
    expect(await reference.ask(withAction(`"${ACTION}"`, envelope11(NOPE)))).toEqual(
      token11Is('ID-WAS-NULL'),
    );
    expect(await reference.ask(withAction(`"${NAMESPACE}Nope"`))).toEqual(unknownAction(`${NAMESPACE}Nope`));
  });

  it('answers an envelope of version 1.2 in version 1.2', async () => {
    expect(await reference.ask(withAction(`"${ACTION}"`, envelope12(TOKEN)))).toEqual(token12Is('TOKEN-7'));
  });

  describe('with an unknown action', () => {
    it.each([
      ['an unknown envelope', envelope('urn:x', TOKEN)],
      ['a version 1.2 envelope', envelope12(TOKEN)],
      ['malformed XML', '<a'],
      ['an empty body', ''],
      ['JSON', '{"id":7}'],
      ['a DTD', '<!DOCTYPE a><a/>'],
    ])('is answered before the message is read: %s', async (_what, body) => {
      expect(await reference.ask(withAction(`"${NAMESPACE}Nope"`, body))).toEqual(
        unknownAction(`${NAMESPACE}Nope`),
      );
    });

    it.each(['text/plain', 'application/xml', 'application/json', 'multipart/related; type="text/xml"', ''])(
      'is answered before the media type is checked: %s',
      async (contentType) => {
        const request = post(
          envelope11(TOKEN),
          ['Content-Type', contentType],
          ['SOAPAction', `"${NAMESPACE}Nope"`],
        );
        expect(await reference.ask(request)).toEqual(unknownAction(`${NAMESPACE}Nope`));
      },
    );
  });
});

describe('a request without a SOAPAction', () => {
  it.each([
    ['text/xml', TEXT_XML],
    ['TEXT/XML', 'TEXT/XML; charset=utf-8'],
  ])('runs the operation of the body element, in version 1.1: %s', async (_what, contentType) => {
    expect(await reference.ask(withoutAction(envelope11(TOKEN), contentType))).toEqual(token11Is('TOKEN-7'));
  });

  it('answers a version 1.2 envelope under text/xml in version 1.2', async () => {
    expect(await reference.ask(withoutAction(envelope12(TOKEN)))).toEqual(token12Is('TOKEN-7'));
  });

  it('uses the action parameter of text/xml, too', async () => {
    const request = withoutAction(envelope11(NOPE), `text/xml; charset=utf-8; action="${ACTION}"`);
    expect(await reference.ask(request)).toEqual(token11Is('ID-WAS-NULL'));
  });

  it.each([
    ['an unknown element', NOPE],
    ['the operation in another namespace', call('GetTokenDevice', { id: '7' }, 'urn:other')],
    ['the operation in no namespace', '<GetTokenDevice><id>7</id></GetTokenDevice>'],
    ['the operation in another letter case', call('gettokendevice', { id: '7' })],
    ['an operation of another endpoint', call('AuthCode', { code: '1' })],
    ['text', 'junk'],
    ['nothing', ''],
    ['a blank', ' '],
    ['a comment', '<!-- x -->'],
    ['an element named like a built-in property', call('constructor')],
  ])('rejects a body that contains %s', async (_what, body) => {
    expect(await reference.ask(withoutAction(envelope11(body)))).toEqual(fault11('Client', NO_ACTION));
    expect(await reference.ask(soap12('PushNotificationMobile', envelope12(body)))).toEqual(
      fault12('Sender', NO_ACTION),
    );
  });

  it('rejects an empty Body element', async () => {
    const body = `<e:Envelope xmlns:e="${SOAP_12}"><e:Body/></e:Envelope>`;
    expect(await reference.ask(withoutAction(body))).toEqual(fault12('Sender', NO_ACTION));
  });

  it('finds the body element after blanks, comments and processing instructions', async () => {
    const body = envelope11(`\r\n\t<!-- a --><?b c?>\n${TOKEN}`);
    expect(await reference.ask(withoutAction(body))).toEqual(token11Is('TOKEN-7'));
  });

  it('uses the first of two body elements', async () => {
    const two = call('SendMarkNotes', { id: '1' }) + call('GetStudentSchool');
    const request = { ...soap12('NotificationNotes', envelope12(two)) };
    expect(await reference.ask(request)).toEqual(ok12(emptyOf('SendMarkNotes')));
  });

  it('ignores a Body inside the Header', async () => {
    const body =
      `<e:Envelope xmlns:e="${SOAP_11}"><e:Header><e:Body>${NOPE}</e:Body></e:Header>` +
      `<e:Body>${TOKEN}</e:Body></e:Envelope>`;
    expect(await reference.ask(withoutAction(body))).toEqual(token11Is('TOKEN-7'));
  });
});

describe('a request with application/soap+xml', () => {
  it.each([
    ['the same operation', `"${ACTION}"`],
    ['an unknown operation', `"${NAMESPACE}Nope"`],
    ['nothing', ''],
  ])('ignores a SOAPAction header that names %s', async (_what, action) => {
    const request = post(envelope12(TOKEN), ['Content-Type', SOAP_XML], ['SOAPAction', action]);
    expect(await reference.ask(request)).toEqual(token12Is('TOKEN-7'));
  });

  it.each([
    ['quoted', `; action="${ACTION}"`],
    ['bare', `; action=${ACTION}`],
    ['in single quotes', `; action='${ACTION}'`],
    ['without blanks', `;action="${ACTION}"`],
    ['with its name in capitals', `; ACTION="${ACTION}"`],
    ['between blanks', `;   action="  ${ACTION}\t"`],
    ['percent-encoded', `; action="${encodeURIComponent(ACTION)}"`],
  ])(
    'runs the operation of its action parameter, whatever the body element: %s',
    async (_what, parameter) => {
      const request = soap12('PushNotificationMobile', envelope12(NOPE), parameter);
      expect(await reference.ask(request)).toEqual(token12Is('ID-WAS-NULL'));
      expect(await reference.ask(token12('7', parameter))).toEqual(token12Is('TOKEN-7'));
    },
  );

  it('finds the action before the charset', async () => {
    const request = withoutAction(
      envelope12(NOPE),
      `application/soap+xml; action="${ACTION}"; charset=utf-8`,
    );
    expect(await reference.ask(request)).toEqual(token12Is('ID-WAS-NULL'));
  });

  it.each([`"${NAMESPACE}Nope"`, '""', '', '"gettokendevice"', `"${NAMESPACE}Get+TokenDevice"`])(
    'uses the body element if the action is %s',
    async (action) => {
      expect(await reference.ask(token12('7', `; action=${action}`))).toEqual(token12Is('TOKEN-7'));
    },
  );

  it.each([
    [`"${NAMESPACE}Nope"`, `${NAMESPACE}Nope`],
    [`${NAMESPACE}Nope`, `${NAMESPACE}Nope`],
    [`'urn:a'`, 'urn:a'],
    ['"urn%3Aa+b"', 'urn:a b'],
    ['"<&>"', '<&>'],
  ])('reports an unknown action if the body element is unknown, too: %s', async (action, shown) => {
    const request = soap12('PushNotificationMobile', envelope12(NOPE), `; action=${action}`);
    expect(await reference.ask(request)).toEqual(
      fault12('Sender', `Unable to handle request. The action '${shown}' was not recognized.`),
    );
  });

  it('reports a missing action if the parameter is empty and the body element unknown', async () => {
    const request = soap12('PushNotificationMobile', envelope12(NOPE), '; action=""');
    expect(await reference.ask(request)).toEqual(fault12('Sender', NO_ACTION));
  });

  it('is rejected for its operation before its media type', async () => {
    expect(await reference.ask(withoutAction(envelope12(NOPE), 'text/plain'))).toEqual(
      fault12('Sender', NO_ACTION),
    );
    expect(await reference.ask(withoutAction(envelope11(NOPE), 'application/xml'))).toEqual(
      fault11('Client', NO_ACTION),
    );
    expect(await reference.ask(post(envelope12(NOPE)))).toEqual(fault12('Sender', NO_ACTION));
  });
});

describe('a message whose body element cannot be found', () => {
  const UNABLE = 'Server was unable to process request. ---> ';
  const MISSING_BODY = `${UNABLE}Request format is invalid: Missing required soap:Body element.`;
  const MISSING_ENVELOPE = `${UNABLE}Request format is invalid: Missing required soap:Envelope element.`;

  it.each([
    ['nothing at all', '', 'Root element is missing.'],
    ['text', 'garbage', 'Data at the root level is invalid. Line 1, position 1.'],
    ['JSON', '{"id":7}', 'Data at the root level is invalid. Line 1, position 1.'],
    ['a form', 'id=1', 'Data at the root level is invalid. Line 1, position 1.'],
    ['text on a later line', '\r\n\n  x', 'Data at the root level is invalid. Line 3, position 3.'],
    ['a DTD', '<!DOCTYPE a><a/>', 'DTD is prohibited in this XML document.'],
    ['only a declaration', '<?xml version="1.0"?>', 'Root element is missing.'],
    ['only a comment', '<!-- x -->', 'Root element is missing.'],
  ])('gets a server fault, in version 1.2, if it is %s', async (_what, body, message) => {
    const fault = fault12('Receiver', UNABLE + message);
    expect(await reference.ask(withoutAction(body))).toEqual(fault);
    expect(await reference.ask(withoutAction(body, SOAP_XML))).toEqual(fault);
    expect(await reference.ask(withoutAction(body, 'application/x-www-form-urlencoded'))).toEqual(fault);
  });

  it('gets an answer in the version of the root read before the error', async () => {
    const rest = '<e:Header><a></b>';
    const at = (namespace: string): string =>
      `The 'a' start tag on line 1 position ${String(35 + namespace.length)} does not match the end tag of 'b'. ` +
      `Line 1, position ${String(39 + namespace.length)}.`;
    expect(await reference.ask(withoutAction(`<e:Envelope xmlns:e="${SOAP_11}">${rest}`))).toEqual(
      fault11('Server', UNABLE + at(SOAP_11)),
    );
    expect(await reference.ask(withoutAction(`<e:Envelope xmlns:e="${SOAP_12}">${rest}`))).toEqual(
      fault12('Receiver', UNABLE + at(SOAP_12)),
    );
  });

  const E = `<soap:Envelope xmlns:soap="${SOAP_11}">`;

  // .NET's parser names what it met and where; columns are those of the names and signs at fault.
  it.each([
    [
      '<soap:Header>',
      'Unexpected end of file has occurred. The following elements are not closed: soap:Header, soap:Envelope.',
      84,
    ],
    ['<soap:He', 'Unexpected end of file while parsing Name has occurred.', 79],
    ['</soap:Env', 'Unexpected end of file while parsing Name has occurred.', 81],
    ['</', 'Unexpected end of file while parsing Name has occurred.', 73],
    [
      '</soap:Envelope',
      'Unexpected end of file has occurred. The following elements are not closed: soap:Envelope.',
      86,
    ],
    [
      '</soap:Envelope \t',
      'Unexpected end of file has occurred. The following elements are not closed: soap:Envelope.',
      88,
    ],
    ['</soap:Envelope \t/', "'/' is an unexpected token. The expected token is '>'.", 88],
    ['<!-- x', 'Unexpected end of file while parsing Comment has occurred.', 77],
    ['<a></b></a>', "The 'a' start tag on line 1 position 72 does not match the end tag of 'b'.", 76],
    ['<x:a/>', "'x' is an undeclared prefix.", 72],
    ['<a x="1" x="2"/>', "'x' is a duplicate attribute name.", 80],
    ['<a>&nbsp;</a>', "Reference to undeclared entity 'nbsp'.", 75],
    ['<a>b & c</a>', 'An error occurred while parsing EntityName.', 77],
    ['<a>]]></a>', "']]>' is not allowed in character data.", 74],
    ['<1/>', "Name cannot begin with the '1' character, hexadecimal value 0x31.", 72],
    ['<a b/>', "'/' is an unexpected token. The expected token is '='.", 75],
    ['<a b="<"/>', "'<', hexadecimal value 0x3C, is an invalid attribute character.", 77],
    ['<a>\0</a>', "'.', hexadecimal value 0x00, is an invalid character.", 74],
    ['</soap:Envelope><b/>', 'There are multiple root elements.', 88],
    ['</soap:Envelope>x', 'Data at the root level is invalid.', 87],
  ])('gets a fault that describes its XML error: %j', async (rest, message, column) => {
    const place = ` Line 1, position ${String(column)}.`;
    expect(await reference.ask(withoutAction(E + rest))).toEqual(fault11('Server', UNABLE + message + place));
  });

  it('gets a fault that shows nothing of the previous message', async () => {
    await reference.ask(withoutAction(`${E}<OthersElement></x>`));
    for (const body of ['</a>', '<a', 'x', '', `${E}</a>`]) {
      expect((await reference.ask(withoutAction(body))).body).not.toContain('OthersElement');
    }
  });

  it.each([
    ['an empty Envelope', (ns: string) => `<e:Envelope xmlns:e="${ns}"/>`],
    [
      'an Envelope with only a Header',
      (ns: string) => `<e:Envelope xmlns:e="${ns}"><e:Header/></e:Envelope>`,
    ],
    [
      'a Body of no namespace',
      (ns: string) => `<e:Envelope xmlns:e="${ns}"><Body>${TOKEN}</Body></e:Envelope>`,
    ],
  ])('lacks its Body: %s', async (_what, body) => {
    expect(await reference.ask(withoutAction(body(SOAP_12)))).toEqual(fault12('Receiver', MISSING_BODY));
    expect(await reference.ask(withoutAction(body(SOAP_11)))).toEqual(fault11('Server', MISSING_BODY));
  });

  it('lacks its Envelope', async () => {
    const body = (ns: string): string => `<e:Letter xmlns:e="${ns}"><e:Body>${TOKEN}</e:Body></e:Letter>`;
    expect(await reference.ask(withoutAction(body(SOAP_12)))).toEqual(fault12('Receiver', MISSING_ENVELOPE));
    expect(await reference.ask(withoutAction(body(SOAP_11)))).toEqual(fault11('Server', MISSING_ENVELOPE));
  });

  it.each([
    ['an unknown body element', envelope('urn:x', NOPE)],
    ['no Body', '<e:Envelope xmlns:e="urn:x"/>'],
    ['a root that is not an Envelope', '<a xmlns="urn:x"><b/></a>'],
    ['malformed XML after the root', '<e:Envelope xmlns:e="urn:x"><a></b>'],
  ])('is a version mismatch if its root has another namespace: %s', async (_what, body) => {
    expect(await reference.ask(withoutAction(body))).toEqual(versionMismatch('urn:x'));
    expect(await reference.ask(withoutAction(body, SOAP_XML))).toEqual(versionMismatch('urn:x'));
  });
});

it('accepts an operation without arguments in an empty Body if the action names it', async () => {
  const request: RawRequest = {
    path: '/GetNoteType.asmx',
    headers: [
      ['Content-Type', TEXT_XML],
      ['SOAPAction', `"${NAMESPACE}GetStudentsNoteType"`],
    ],
    body: envelope11(''),
  };
  expect(await reference.ask(request)).toEqual(ok11(emptyOf('GetStudentsNoteType')));
});

it('offers the same operations under both versions', async () => {
  expect(await reference.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  expect(await reference.ask(token12('7'))).toEqual(token12Is('TOKEN-7'));
});
