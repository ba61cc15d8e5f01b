// The wire contract, section 3, steps 3 and 4, and section 3.3.

import { emptyAnswer, fault11, token11Is, token12Is, versionMismatch } from '../../harness/asmx-answers';
import {
  call,
  envelope,
  envelope11,
  envelope12,
  NAMESPACE,
  type RawRequest,
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
const ACTION = `"${NAMESPACE}GetTokenDevice"`;

interface Ask {
  readonly contentType?: string;
  readonly action?: string;
  readonly body: string;
}

function ask({ contentType, action, body }: Ask) {
  const headers: [string, string][] = [];
  if (contentType !== undefined) headers.push(['Content-Type', contentType]);
  if (action !== undefined) headers.push(['SOAPAction', action]);
  const request: RawRequest = { path: PATH, headers, body };
  return reference.ask(request);
}

describe('the media type check', () => {
  const OTHERS = [
    'application/xml',
    'text/plain',
    'application/json',
    'application/json; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/related; type="text/xml"',
    'multipart/form-data; boundary=B',
    'application/octet-stream',
    'application/xop+xml',
    'text/xml ; charset=utf-8',
    ' ; text/xml',
    'text/xml2',
    'application/soap+xml2',
    'application/soap',
    'text',
    'xml',
    'text/html',
    `text/${'x'.repeat(1000)}`,
  ];

  it.each(OTHERS)(
    'answers 415 without a body in version 1.1 if the request has a SOAPAction: %s',
    async (type) => {
      const answer = emptyAnswer(415, TEXT_XML);
      expect(await ask({ contentType: type, action: ACTION, body: envelope11(TOKEN) })).toEqual(answer);
      expect(await ask({ contentType: type, action: ACTION, body: envelope12(TOKEN) })).toEqual(answer);
    },
  );

  it.each(OTHERS)('answers 415 without a body in version 1.2 if it has no SOAPAction: %s', async (type) => {
    const answer = emptyAnswer(415, SOAP_XML);
    expect(await ask({ contentType: type, body: envelope12(TOKEN) })).toEqual(answer);
    expect(await ask({ contentType: type, body: envelope11(TOKEN) })).toEqual(answer);
  });

  it('answers 415 if the request has no media type', async () => {
    expect(await ask({ action: ACTION, body: envelope11(TOKEN) })).toEqual(emptyAnswer(415, TEXT_XML));
    expect(await ask({ body: envelope12(TOKEN) })).toEqual(emptyAnswer(415, SOAP_XML));
    expect(await ask({ contentType: '', action: ACTION, body: envelope11(TOKEN) })).toEqual(
      emptyAnswer(415, TEXT_XML),
    );
  });

  it.each([
    ['malformed XML', '<a'],
    ['nothing', ''],
    ['an unknown envelope', envelope('urn:x', TOKEN)],
  ])('answers 415 before reading the message: %s', async (_what, body) => {
    expect(await ask({ contentType: 'text/plain', action: ACTION, body })).toEqual(
      emptyAnswer(415, TEXT_XML),
    );
  });

  it('answers 415 to an unknown envelope whose body element is an operation', async () => {
    const body = envelope('urn:x', TOKEN);
    expect(await ask({ contentType: 'text/plain', body })).toEqual(emptyAnswer(415, SOAP_XML));
  });

  it('answers 415 with the full reason phrase', async () => {
    const request = { ...token11('7'), headers: [['SOAPAction', ACTION]] as [string, string][] };
    const response = await reference.send(request);
    expect(response.reason).toBe('Unsupported Media Type');
    expect(response.header('Content-Length')).toBe('0');
  });

  it.each(['text/xml', 'Text/XML', 'TEXT/XML;CHARSET=UTF-8', 'text/xml;', 'text/xml;;charset=utf-8;x=y'])(
    'accepts %s in version 1.1',
    async (contentType) => {
      expect(await ask({ contentType, action: ACTION, body: envelope11(TOKEN) })).toEqual(
        token11Is('TOKEN-7'),
      );
    },
  );

  it.each(['application/soap+xml', 'Application/SOAP+XML', 'application/soap+xml;charset=UTF-8'])(
    'accepts %s in version 1.2',
    async (contentType) => {
      expect(await ask({ contentType, body: envelope12(TOKEN) })).toEqual(token12Is('TOKEN-7'));
    },
  );
});

describe('the namespace of the envelope', () => {
  it.each([TEXT_XML, SOAP_XML])('of version 1.2 answers in version 1.2 under %s', async (contentType) => {
    const body = envelope12(TOKEN);
    expect(await ask({ contentType, body })).toEqual(token12Is('TOKEN-7'));
    expect(await ask({ contentType, action: ACTION, body })).toEqual(token12Is('TOKEN-7'));
  });

  it('of version 1.1 answers in version 1.1 under text/xml', async () => {
    const body = envelope11(TOKEN);
    expect(await ask({ contentType: TEXT_XML, body })).toEqual(token11Is('TOKEN-7'));
    expect(await ask({ contentType: TEXT_XML, action: ACTION, body })).toEqual(token11Is('TOKEN-7'));
  });

  it.each([
    ['without an action', SOAP_XML],
    ['with an action', `${SOAP_XML}; action=${ACTION}`],
  ])('of version 1.1 is not accepted under application/soap+xml: %s', async (_what, contentType) => {
    const answer = emptyAnswer(415, TEXT_XML);
    expect(await ask({ contentType, body: envelope11(TOKEN) })).toEqual(answer);
    expect(await ask({ contentType, action: ACTION, body: envelope11(TOKEN) })).toEqual(answer);
  });

  it.each([
    ['another', 'http://example.org/env/', envelope('http://example.org/env/', TOKEN)],
    ['an almost correct one', SOAP_11.slice(0, -1), envelope(SOAP_11.slice(0, -1), TOKEN)],
    ['one in another letter case', SOAP_12.toUpperCase(), envelope(SOAP_12.toUpperCase(), TOKEN)],
    ['one that needs escaping', 'urn:<&>', envelope('urn:&lt;&amp;&gt;', TOKEN)],
    ['none', '', `<Envelope><Body>${TOKEN}</Body></Envelope>`],
    ['none, on a root that is not an Envelope', '', '<foo/>'],
    ['another, on a root that is not an Envelope', 'urn:a', '<a:foo xmlns:a="urn:a"/>'],
  ])('is a version mismatch in version 1.1 form if it is %s', async (_what, namespace, body) => {
    const answer = versionMismatch(namespace);
    expect(await ask({ contentType: TEXT_XML, action: ACTION, body })).toEqual(answer);
    expect(await ask({ contentType: `${SOAP_XML}; action=${ACTION}`, body })).toEqual(answer);
    expect(await ask({ contentType: TEXT_XML, body })).toEqual(answer);
    expect(await ask({ contentType: SOAP_XML, body })).toEqual(answer);
  });

  it('is checked before the rest of the message is read', async () => {
    const body = `<e:Envelope xmlns:e="urn:x"><e:Body>${TOKEN}</e:Wrong>`;
    expect(await ask({ contentType: TEXT_XML, action: ACTION, body })).toEqual(versionMismatch('urn:x'));
  });

  it('determines the content type of a 400', async () => {
    const broken = `<soap:Body><a></soap:Body>`;
    const body = (ns: string): string => `<soap:Envelope xmlns:soap="${ns}">${broken}</soap:Envelope>`;
    expect(await ask({ contentType: TEXT_XML, action: ACTION, body: body(SOAP_11) })).toEqual(
      emptyAnswer(400, TEXT_XML),
    );
    expect(await ask({ contentType: TEXT_XML, action: ACTION, body: body(SOAP_12) })).toEqual(
      emptyAnswer(400, SOAP_XML),
    );
    expect(await ask({ contentType: `${SOAP_XML}; action=${ACTION}`, body: body(SOAP_12) })).toEqual(
      emptyAnswer(400, SOAP_XML),
    );
  });

  it('leaves the version of the headers if the root cannot be read', async () => {
    expect(await ask({ contentType: TEXT_XML, action: ACTION, body: 'x' })).toEqual(
      emptyAnswer(400, TEXT_XML),
    );
    expect(await ask({ contentType: `${SOAP_XML}; action=${ACTION}`, body: 'x' })).toEqual(
      emptyAnswer(400, SOAP_XML),
    );
  });
});

it('keeps the version of one request from affecting the next', async () => {
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all([
      reference.ask(token11('a')),
      reference.ask(token12('b')),
      reference.ask(token11('throw-soap')),
      reference.ask(token12('c')),
      reference.ask(token11('d')),
    ]);
    expect(answers).toEqual([
      token11Is('TOKEN-a'),
      token12Is('TOKEN-b'),
      fault11('Client', 'custom soap message', { cacheControl: 'private, max-age=0' }),
      token12Is('TOKEN-c'),
      token11Is('TOKEN-d'),
    ]);
  }
});
