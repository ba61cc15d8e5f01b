// The wire contract, section 3, step 5: XML that is sent to do harm.

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { emptyAnswer, token11Is } from '../../harness/asmx-answers';
import {
  call,
  envelope11,
  envelope12,
  listen,
  portOf,
  SOAP_11,
  soap11,
  TEXT_XML,
  token11,
  tokenMessage11,
  tokenMessage12,
} from '../../../scripts/harness';
import { useFolder } from '../../harness/use-folder';
import { useReference } from '../../harness/use-server';

const reference = useReference();
const folder = useFolder();

/** A message with a document type declaration before its envelope. */
function withDoctype(doctype: string, id = '&x;'): string {
  return envelope11(call('GetTokenDevice', { id })).replace('?>', `?>${doctype}`);
}

async function expectRefused(body: string) {
  expect(await reference.ask(tokenMessage11(body))).toEqual(emptyAnswer(400, TEXT_XML));
  // Without an action the declaration is met while the operation is looked for, which is a fault.
  const routed = await reference.send({
    path: '/PushNotificationMobile.asmx',
    headers: [['Content-Type', TEXT_XML]],
    body,
  });
  expect(routed.status).toBe(500);
  expect(routed.text).toContain('DTD is prohibited in this XML document.');
  expect(await reference.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
}

describe('a document type declaration is rejected unread:', () => {
  const laughs = Array.from(
    { length: 10 },
    (_, index) => `<!ENTITY l${String(index + 1)} "${`&l${String(index)};`.repeat(10)}">`,
  );

  it.each([
    ['alone', '<!DOCTYPE a>'],
    ['with an internal entity', '<!DOCTYPE a [<!ENTITY x "y">]>'],
    ['with a billion laughs', `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs.join('')}<!ENTITY x "&l10;">]>`],
    ['with a long entity, used often', `<!DOCTYPE a [<!ENTITY x "${'a'.repeat(100_000)}">]>`],
    ['with an external subset', '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">'],
    ['with a public identifier', '<!DOCTYPE a PUBLIC "-//A//B" "http://127.0.0.1:1/a.dtd">'],
    ['with a parameter entity', '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:1/p"> %p;]>'],
    ['that declares the attribute types', '<!DOCTYPE a [<!ATTLIST a id ID #IMPLIED>]>'],
    ['that does not end', '<!DOCTYPE a [<!ENTITY x "'],
  ])('%s', async (_what, doctype) => {
    await expectRefused(withDoctype(doctype, '&x;'.repeat(100)));
  });

  it('with an entity that names a file, which is not opened', async () => {
    const file = join(folder, 'secret.txt');
    writeFileSync(file, 'the secret');
    const doctype = `<!DOCTYPE a [<!ENTITY x SYSTEM "${pathToFileURL(file).href}">]>`;
    await expectRefused(withDoctype(doctype));
    const answer = await reference.ask(tokenMessage11(withDoctype(doctype)));
    expect(answer.body).not.toContain('the secret');
  });

  describe('with an entity that names a server', () => {
    let connections = 0;
    let listener: Server;

    beforeAll(async () => {
      listener = createServer((socket) => {
        connections += 1;
        socket.end();
      });
      await listen(listener);
    });

    afterAll(() => listener.close());

    it('which is not called', async () => {
      const url = `http://127.0.0.1:${String(portOf(listener))}/`;
      await expectRefused(withDoctype(`<!DOCTYPE a SYSTEM "${url}a.dtd">`));
      await expectRefused(withDoctype(`<!DOCTYPE a [<!ENTITY x SYSTEM "${url}x">]>`));
      await expectRefused(withDoctype(`<!DOCTYPE a [<!ENTITY % p SYSTEM "${url}p"> %p;]>`));
      const located = envelope11(call('GetTokenDevice', { id: '7' })).replace(
        'xmlns:xsd',
        `xsi:schemaLocation="urn:a ${url}a.xsd" xmlns:xsd`,
      );
      const request = tokenMessage11(located);
      expect(await reference.ask(request)).toEqual(token11Is('TOKEN-7'));
      expect(connections).toBe(0);
    });
  });
});

describe('a message designed to be expensive', () => {
  it.each([
    ['2,000 prefixes on one element', () => `<a ${prefixes(2000)}/>`, 500],
    ['100 prefixes and 10,000 elements', () => `<a ${prefixes(100)}>${'<p1:b/>'.repeat(10_000)}</a>`, 200],
    ['a name of 1 MB', () => `<${'n'.repeat(1_000_000)}/>`, 500],
    ['an attribute of 1 MB', () => `<a b="${'v'.repeat(1_000_000)}"/>`, 200],
    ['a comment of 1 MB', () => `<!--${' -'.repeat(500_000)} -->`, 200],
    ['500,000 references', () => `<a>${'&#65;'.repeat(500_000)}</a>`, 200],
    ['100,000 CDATA sections', () => `<a>${'<![CDATA[]]>'.repeat(100_000)}</a>`, 200],
  ])('gets an answer: %s', async (_what, make, status) => {
    const body = envelope11(make() + call('GetTokenDevice', { id: '7' }), '<h/>'.repeat(1000));
    const answer = await reference.ask(tokenMessage11(body));
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer).toEqual(token11Is('TOKEN-7'));
  });

  it('with an endless name gets an answer', async () => {
    for (const end of ['', '=', '="', ':', '<', '&']) {
      const body = `<e:Envelope xmlns:e="${SOAP_11}"><e:Body><${'n'.repeat(100_000)}${end}`;
      expect((await reference.ask(tokenMessage11(body))).status).toBe(end === ':' ? 400 : 500);
    }
  });

  function prefixes(count: number): string {
    return Array.from({ length: count }, (_, index) => `xmlns:p${String(index)}="urn:${String(index)}"`).join(
      ' ',
    );
  }
});

it('never reveals the location or build of the service', async () => {
  const bodies = [
    '',
    '<',
    'x',
    '<a/>',
    '<!DOCTYPE a>',
    envelope12('<a>'),
    `<e:Envelope xmlns:e="${SOAP_11}"><`,
  ];
  for (const body of bodies) {
    for (const request of [
      tokenMessage11(body),
      soap11('PushNotificationMobile', 'Nope', body),
      tokenMessage12(body),
    ]) {
      const answer = await reference.ask(request);
      expect(answer.body).not.toMatch(/node_modules|saxes|node-soap|\.[jt]s\b|\n\s+at /);
    }
  }
});
