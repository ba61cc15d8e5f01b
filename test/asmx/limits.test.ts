// The wire contract, section 3.4, and the bounds beyond it: what takes long to send, or to wait for.

import { fault11, fault12, token11Is } from '../harness/asmx-answers';
import {
  call,
  envelope11,
  envelope12,
  headOf,
  NAMESPACE,
  token11,
  tokenMessage11,
  tokenMessage12,
} from '../../scripts/harness';
import { useReference } from '../harness/use-server';

const MEGABYTE = 1024 * 1024;

describe('a body rejected before its end', () => {
  const server = useReference({ limits: { bodyBytes: 1000 } });

  it('has its connection closed, even if no more of it arrives', async () => {
    const bodies = [
      [['Content-Length', '1001'], ''],
      [['Transfer-Encoding', 'chunked'], `3e9\r\n${'x'.repeat(1001)}\r\n`],
    ] as const;
    const rejected = bodies.map(async ([length, body]) => {
      const connection = await server.connect();
      connection.send({ ...headOf(token11(''), length), body, keepAlive: true });
      expect((await connection.readFinal()).status).toBe(500);
      expect(await connection.readUntilClosed()).toHaveLength(0);
    });
    await Promise.all(rejected);
  });
});

describe('by default', () => {
  const server = useReference();

  it('a body of 4 MB is accepted', async () => {
    const overhead = Buffer.byteLength(String(token11('').body));
    const id = 'x'.repeat(4 * MEGABYTE - overhead);
    const { status, body } = await server.ask(token11(id));
    expect(status).toBe(200);
    expect(body).toContain(`TOKEN-${id.slice(0, 100)}`);
  });

  it('a body one byte longer is rejected', async () => {
    const request = headOf(token11(''), ['Content-Length', String(4 * MEGABYTE + 1)]);
    expect((await server.send(request)).text).toContain('Maximum request length exceeded.');
  });

  const UNREADABLE = 'Server was unable to read request. ---> ';
  const TOO_DEEP = 'The request is nested deeper than 64 elements.';
  const TOO_WIDE = 'The request has an element with more than 128 attributes.';
  const TOO_MANY = 'The request has more than 100000 elements.';
  const TOO_LONG = 'The request has a name of more than 256 characters.';

  it.each([
    ['64 levels', () => nested(64 - 3)],
    ['128 attributes on one element', () => `<a ${attributes(128)}/>`],
    ['100,000 elements', () => '<a/>'.repeat(100_000 - 4)],
    ['names of 256 characters', () => `<${'a'.repeat(256)} ${'b'.repeat(256)}=""/>`],
    [
      'names of 256 characters with their prefixes',
      () => `<p:${'a'.repeat(254)} xmlns:p="" p:${'b'.repeat(254)}=""/>`.replace('""', '"urn:p"'),
    ],
  ])('a message may have %s', async (_what, make) => {
    // The parameter comes last, so that all the rest has been read before.
    const inside = `<GetTokenDevice xmlns="${NAMESPACE}">${make()}<id>7</id></GetTokenDevice>`;
    const answer = await server.ask(tokenMessage11(envelope11(inside)));
    expect(answer).toEqual(token11Is('TOKEN-7'));
  });

  it.each([
    ['65 levels', () => nested(65 - 3), TOO_DEEP],
    ['100,000 levels', () => nested(100_000), TOO_DEEP],
    ['100,000 levels that never close', () => '<a>'.repeat(100_000), TOO_DEEP],
    ['129 attributes on one element', () => `<a ${attributes(129)}/>`, TOO_WIDE],
    ['10,000 attributes on one element', () => `<a ${attributes(10_000)}/>`, TOO_WIDE],
    ['100,001 elements', () => '<a/>'.repeat(100_001 - 4), TOO_MANY],
    ['an element’s name of 257 characters', () => `<${'a'.repeat(257)}/>`, TOO_LONG],
    [
      'an element’s name that is too long with its prefix',
      () => `<p:${'a'.repeat(255)} xmlns:p="urn:p"/>`,
      TOO_LONG,
    ],
    ['an attribute’s name of 257 characters', () => `<a ${'b'.repeat(257)}=""/>`, TOO_LONG],
    [
      'an attribute’s name that is too long with its prefix',
      () => `<a xmlns:p="urn:p" p:${'b'.repeat(255)}=""/>`,
      TOO_LONG,
    ],
    ['a prefix of 251 characters', () => `<a xmlns:${'p'.repeat(251)}="urn:p"/>`, TOO_LONG],
  ])('a message may not have %s', async (_what, make, text) => {
    const inside = `<GetTokenDevice xmlns="${NAMESPACE}">${make()}<id>7</id></GetTokenDevice>`;
    expect(await server.ask(tokenMessage11(envelope11(inside)))).toEqual(
      fault11('Client', UNREADABLE + text),
    );
    expect(await server.ask(tokenMessage12(envelope12(inside)))).toEqual(
      fault12('Sender', UNREADABLE + text),
    );
    expect(await server.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  });

  it.each([
    ['levels', () => nested(100_000), TOO_DEEP],
    ['attributes', () => `<a ${attributes(10_000)}/>`, TOO_WIDE],
    ['elements', () => '<a/>'.repeat(100_001), TOO_MANY],
  ])(
    'too many %s are rejected in the Header too, before the operation is known',
    async (_what, make, text) => {
      const hidden = envelope12(call('GetTokenDevice', { id: '7' }), make());
      expect(await server.ask(tokenMessage12(hidden))).toEqual(fault12('Sender', UNREADABLE + text));
    },
  );

  function nested(levels: number): string {
    return '<a>'.repeat(levels) + '</a>'.repeat(levels);
  }

  function attributes(count: number): string {
    return Array.from({ length: count }, (_, index) => `a${String(index)}=""`).join(' ');
  }
});

describe('configured limits', () => {
  const server = useReference({
    limits: { xmlDepth: 5, xmlAttributes: 2, xmlElements: 6 },
  });

  function ask(inside: string) {
    const body =
      `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>` +
      `<GetTokenDevice xmlns="${NAMESPACE}">${inside}</GetTokenDevice></e:Body></e:Envelope>`;
    return server.ask(tokenMessage11(body));
  }

  it.each([
    ['5 levels', '<id>7</id><a><b/></a>', 200],
    ['6 levels', '<a><b><c/></b></a>', 500],
    ['2 attributes', '<id a="" b="">7</id>', 200],
    ['3 attributes', '<id a="" b="" c="">7</id>', 500],
    ['3 attributes, with a namespace declaration', '<id a="" b="" xmlns:c="urn:c">7</id>', 500],
    ['6 elements', '<id>7</id><a/><a/>', 200],
    ['7 elements', '<id>7</id><a/><a/><a/>', 500],
  ])('apply: %s', async (_what, inside, status) => {
    expect((await ask(inside)).status).toBe(status);
  });
});
