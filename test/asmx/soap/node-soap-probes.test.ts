// The wire contract, section 3: what node-soap would do with these requests.

import { gzipSync } from 'node:zlib';

import { emptyAnswer, fault11, fault12, token11Is, token12Is } from '../../harness/asmx-answers';
import {
  call,
  envelope11,
  envelope12,
  NAMESPACE,
  soap11,
  TEXT_XML,
  token11,
  token12,
  tokenMessage11,
  tokenMessage12,
  withHeaders,
} from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

// Each of these ends, hangs or poisons a service that hands the network's requests to node-soap.
const reference = useReference();

async function expectAlive() {
  expect(await reference.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  expect(await reference.ask(token12('7'))).toEqual(token12Is('TOKEN-7'));
}

describe('an attribute id="__proto__"', () => {
  const ids = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty'];

  it.each(ids)('is an attribute like any other, on any element: %s', async (id) => {
    const bodies = [
      envelope11(`<GetTokenDevice xmlns="${NAMESPACE}" id="${id}"><id>7</id></GetTokenDevice>`),
      envelope11(`<GetTokenDevice xmlns="${NAMESPACE}"><id id="${id}">7</id></GetTokenDevice>`),
      envelope11(`${call('GetTokenDevice', { id: '7' })}<a id="${id}"><b>1</b></a>`),
      envelope11(call('GetTokenDevice', { id: '7' }), `<a id="${id}"/>`),
      envelope11(call('GetTokenDevice', { id: '7' })).replace('<soap:Body', `<soap:Body id="${id}"`),
    ];
    for (const body of bodies) {
      expect(await reference.ask(tokenMessage11(body))).toEqual(token11Is('TOKEN-7'));
    }
    expect(await reference.ask(token11(`<b id="${id}" href="#${id}">7</b>`))).toEqual(token11Is('TOKEN-7'));
    await expectAlive();
  });

  it('does not change any object, nor do elements with such names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const inside = names.map((name) => `<${name}><polluted>1</polluted></${name}>`).join('');
    const body = envelope11(`<GetTokenDevice xmlns="${NAMESPACE}">${inside}<id>7</id></GetTokenDevice>`);
    expect(await reference.ask(tokenMessage11(body))).toEqual(token11Is('TOKEN-7'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined(); // an empty object sees its prototype
    await expectAlive();
  });
});

describe('a body declared as compressed', () => {
  const good = gzipSync(envelope11(call('GetTokenDevice', { id: '7' })));

  it.each([
    ['garbage', 'gzip', Buffer.from('garbage')],
    ['nothing', 'gzip', Buffer.alloc(0)],
    ['whole', 'gzip', good],
    ['cut', 'gzip', good.subarray(0, good.length / 2)],
    ['garbage', 'deflate', Buffer.from('garbage')],
    ['garbage', 'br', Buffer.from('garbage')],
    ['garbage', 'x-unknown', Buffer.from('garbage')],
  ])('is not decompressed and is therefore not XML: %s, %s', async (_what, coding, body) => {
    const request = tokenMessage11(body);
    expect(await reference.ask(withHeaders(request, ['Content-Encoding', coding]))).toEqual(
      emptyAnswer(400, TEXT_XML),
    );
    await expectAlive();
  });
});

describe('an unknown operation', () => {
  it.each(['Nope', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'gets an answer without a stack: %s',
    async (name) => {
      const unknown =
        'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
      expect(await reference.ask(tokenMessage12(envelope12(call(name))))).toEqual(fault12('Sender', unknown));
      expect(await reference.ask(soap11('PushNotificationMobile', name, envelope11(call(name))))).toEqual(
        fault11(
          'Client',
          `Server did not recognize the value of HTTP Header SOAPAction: ${NAMESPACE}${name}.`,
        ),
      );
      await expectAlive();
    },
  );
});

describe('an empty request body', () => {
  it('gets an answer at once', async () => {
    expect(await reference.ask(tokenMessage11(''))).toEqual(emptyAnswer(400, TEXT_XML));
    expect(await reference.ask(tokenMessage12(''))).toEqual(
      fault12('Receiver', 'Server was unable to process request. ---> Root element is missing.'),
    );
    await expectAlive();
  });

  it('without a length gets an answer at once', async () => {
    const connection = await reference.connect();
    const headers = `Host: h\r\nContent-Type: ${TEXT_XML}\r\nSOAPAction: "${NAMESPACE}GetTokenDevice"\r\n`;
    connection.write(`POST /PushNotificationMobile.asmx HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    const { status } = await connection.readFinal();
    connection.close();
    expect([400, 411]).toContain(status);
    await expectAlive();
  });
});
