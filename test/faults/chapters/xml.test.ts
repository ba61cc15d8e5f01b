// Attacks through XML.

import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import {
  emptyAnswer,
  FRESH,
  fault11,
  fault12,
  token11Is,
  token12Is,
  type WireAnswer,
} from '../../harness/asmx-answers';
import {
  call,
  envelope11,
  envelope12,
  NAMESPACE,
  type RawRequest,
  type RawResponse,
  SOAP_XML,
  soap11,
  soap12,
  TEXT_XML,
  token11,
  token12,
} from '../../../scripts/harness';
import { type Case, MARK, useAttackedService } from './attacked-service';
import { countConnections } from './count-connections';
import { makeNamedPipe } from '../../harness/named-pipe';

const MEGABYTE = 2 ** 20;
/** Ten times what an answer may take and more: on a busy machine the fastest of a few is far below. */
const AT_ONCE_MS = 500;
const TRIES = 5;

const PUSH = 'PushNotificationMobile';
const DTD = 'DTD is prohibited in this XML document.';
const UNREADABLE = 'Server was unable to read request. ---> ';

/** Device ids by what they consist of. */
const IDS = {
  replaced: `${MARK}\uFFFD\uFFFD`,
  turkish: `${MARK}-İışğ`,
  markup: `${MARK}<a>&amp;`,
  plain: `${MARK}-7`,
} as const;
/** The tokens of devices with these ids. */
const TOKENS = {
  replaced: `token-${MARK}-replaced`,
  turkish: `token-${MARK}-turkish`,
  markup: `token-${MARK}-markup`,
  plain: `token-${MARK}-plain`,
} as const;
type Id = keyof typeof IDS;

const service = useAttackedService({
  devices: Object.fromEntries(Object.entries(IDS).map(([name, id]) => [id, TOKENS[name as Id]])),
});

/** The answer to bytes that are no message: over SOAP 1.1, and over SOAP 1.2 where the operation is looked for in them. */
function refused(text: string | Uint8Array, message: string): readonly Case[] {
  const routed = fault12('Receiver', `Server was unable to process request. ---> ${message}`);
  return [
    [soap11(PUSH, 'GetTokenDevice', text), emptyAnswer(400, TEXT_XML)],
    [soap12(PUSH, text), routed],
  ];
}

/** A document type before an envelope; it is met while the operation is looked for. */
function withDoctype(doctype: string, id = '&x;'): readonly Case[] {
  const inside = call('GetTokenDevice', { id: MARK + id });
  const put = (envelope: string): string => envelope.replace('?>', `?>${doctype}`);
  return [
    ...refused(put(envelope11(inside)), DTD).slice(0, 1),
    ...refused(put(envelope12(inside)), DTD).slice(1),
  ];
}

/** A value that makes the message no XML: both versions answer 400. */
function noValue(markup: string): readonly Case[] {
  return [
    [token11(MARK + markup), emptyAnswer(400, TEXT_XML)],
    [token12(MARK + markup), emptyAnswer(400, SOAP_XML)],
  ];
}

/** The content of the operation's element, read as the id of a device. */
function arrives(inside: string, id: Id): readonly Case[] {
  const element = `<GetTokenDevice xmlns="${NAMESPACE}">${inside}</GetTokenDevice>`;
  return [
    [soap11(PUSH, 'GetTokenDevice', envelope11(element)), token11Is(TOKENS[id])],
    [soap12(PUSH, envelope12(element)), token12Is(TOKENS[id])],
  ];
}

/** The content of the operation's element, refused with this text by the reader of messages. */
function tooMuch(inside: string, text: string): readonly Case[] {
  const element = `<GetTokenDevice xmlns="${NAMESPACE}">${inside}<id>${MARK}</id></GetTokenDevice>`;
  return [
    [soap11(PUSH, 'GetTokenDevice', envelope11(element)), fault11('Client', UNREADABLE + text)],
    [soap12(PUSH, envelope12(element)), fault12('Sender', UNREADABLE + text)],
  ];
}

/** Expects that the fastest of a few answers to a request comes at once, and that they leave no memory behind. */
async function expectCheap(request: RawRequest): Promise<void> {
  const before = service.process.usage.residentBytes;
  const times: number[] = [];
  await service.survives(async () => {
    const answers: RawResponse[] = [];
    for (let round = 0; round < TRIES; round += 1) {
      const start = performance.now();
      answers.push(await service.process.ask(request));
      times.push(performance.now() - start);
    }
    return answers;
  }, TRIES);
  expect(Math.min(...times)).toBeLessThan(AT_ONCE_MS);
  expect(service.process.usage.residentBytes - before).toBeLessThan(100 * MEGABYTE);
}

const nested = (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels);
const attributes = (count: number): string =>
  Array.from({ length: count }, (_, index) => `a${String(index)}=""`).join(' ');

describe('XML', () => {
  it('1 Empty body', async () => {
    await service.answers(...refused('', 'Root element is missing.'));
  });

  it('2 Text that is not XML', async () => {
    await service.answers(...refused('hello', 'Data at the root level is invalid. Line 1, position 1.'));
  });

  it('3 Document type only', async () => {
    await service.answers(...refused('<!DOCTYPE a>', DTD), ...withDoctype('<!DOCTYPE a>'));
  });

  it('4 Internal entity', async () => {
    await service.answers(...withDoctype('<!DOCTYPE a [<!ENTITY x "y">]>'));
  });

  it('5 Billion laughs', async () => {
    const laughs = Array.from(
      { length: 10 },
      (_, at) => `<!ENTITY l${String(at + 1)} "${`&l${String(at)};`.repeat(10)}">`,
    );
    const cases = withDoctype(`<!DOCTYPE a [<!ENTITY l0 "ha">${laughs.join('')}]>`, '&l10;');
    await service.answers(...cases);
    for (const [request] of cases) await expectCheap(request);
  });

  it('6 Quadratic blow-up', async () => {
    const cases = withDoctype(`<!DOCTYPE a [<!ENTITY x "${'a'.repeat(50_000)}">]>`, '&x;'.repeat(2000));
    await service.answers(...cases);
    for (const [request] of cases) await expectCheap(request);
  });

  describe('7 External entity for a file or a listener', () => {
    let secret = '';
    let pipe = '';
    beforeAll(() => {
      secret = join(service.folder, 'secret.txt');
      writeFileSync(secret, 'the secret');
      pipe = join(service.folder, 'pipe');
      makeNamedPipe(pipe);
    });

    const external = (url: string): readonly Case[] =>
      withDoctype(`<!DOCTYPE a [<!ENTITY x SYSTEM "${url}">]>`);

    it('the file is neither shown nor opened', async () => {
      await service.answers(...external(pathToFileURL(secret).href), ...external(pathToFileURL(pipe).href));
      // A pipe with a reader could be written to.
      const open = (): void => {
        closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
      };
      expect(open).toThrow('ENXIO');
    });

    it('the listener is not called', async () => {
      const { url, connections, close } = await countConnections();
      await service.answers(...external(url), ...withDoctype(`<!DOCTYPE a SYSTEM "${url}">`));
      expect(connections()).toBe(0);
      close();
    });
  });

  it('8 Parameter entity, external document type', async () => {
    const { url, connections, close } = await countConnections();
    await service.answers(
      ...withDoctype(`<!DOCTYPE a [<!ENTITY % p SYSTEM "${url}p"> %p;]>`),
      ...withDoctype(`<!DOCTYPE a PUBLIC "-//A//B" "${url}a.dtd">`),
    );
    expect(connections()).toBe(0);
    close();
  });

  it.each([65, 1_000, 100_000])('9 Deep nesting: %i levels', async (levels) => {
    const cases = tooMuch(nested(levels - 3), 'The request is nested deeper than 64 elements.');
    await service.answers(...cases, ...arrives(`${nested(61)}<id>${IDS.plain}</id>`, 'plain'));
    for (const [request] of cases) await expectCheap(request);
  });

  it('10 Very many attributes on one element', async () => {
    const text = 'The request has an element with more than 128 attributes.';
    const cases = tooMuch(`<a ${attributes(10_000)}/>`, text);
    await service.answers(
      ...cases,
      ...tooMuch(`<a ${attributes(129)}/>`, text),
      ...arrives(`<id ${attributes(128)}>${IDS.plain}</id>`, 'plain'),
    );
    for (const [request] of cases) await expectCheap(request);
  });

  it('11 Duplicate attribute', async () => {
    await service.answers(
      ...noValue('<b a="1" a="2">7</b>'),
      ...noValue('<b xmlns:p="urn:a" xmlns:q="urn:a" p:a="" q:a=""/>'),
    );
  });

  it.each(['&#0;', '&#1;', '&#xFFFF;', '\u0001', '\u0000', '&#xD800;'])(
    '12 Characters not allowed in XML: %j',
    async (markup) => {
      await service.answers(...noValue(markup));
    },
  );

  it.each([
    ['invalid bytes', [0xff, 0xfe], IDS.replaced],
    ['an overlong zero', [0xc0, 0x80], IDS.replaced],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80], `${IDS.replaced}\uFFFD`],
  ])('13 Bytes that are not UTF-8: %s', async (_what, bytes, id) => {
    const place = '{BYTES}';
    const spoilt = (request: RawRequest): RawRequest => {
      const [before = '', after = ''] = String(request.body).split(place);
      return {
        ...request,
        body: Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]),
      };
    };
    const token = id === IDS.replaced ? TOKENS.replaced : '';
    await service.answers(
      [spoilt(token11(MARK + place)), token11Is(token)],
      [spoilt(token12(MARK + place)), token12Is(token)],
    );
  });

  it.each([
    ['UTF-8', '', 'utf8'],
    ['UTF-16, little-endian', '; charset=utf-16', 'utf16le'],
    ['UTF-16, little-endian, recognizable only by the mark', '', 'utf16le'],
    ['UTF-16, big-endian', '; charset=utf-16', 'utf16be'],
    ['UTF-16, big-endian, recognizable only by the mark', '', 'utf16be'],
  ] as const)('14 Byte order marks and UTF-16: %s', async (_what, charset, encoding) => {
    const encode = (text: string): Buffer => {
      const bytes = Buffer.from(`\uFEFF${text}`, encoding === 'utf8' ? 'utf8' : 'utf16le');
      return encoding === 'utf16be' ? bytes.swap16() : bytes;
    };
    const typed = (request: RawRequest, type: string): RawRequest => ({
      ...request,
      headers: [['Content-Type', type + charset], ...(request.headers ?? []).slice(1)],
      body: encode(String(request.body)),
    });
    await service.answers(
      [typed(token11(IDS.turkish), 'text/xml'), token11Is(TOKENS.turkish)],
      [typed(token12(IDS.turkish), 'application/soap+xml'), token12Is(TOKENS.turkish)],
    );
  });

  it('15 Unknown charset', async () => {
    const odd = (request: RawRequest): RawRequest => ({
      ...request,
      headers: (request.headers ?? []).map(([name, value]) => [name, value.replace('utf-8', 'klingon')]),
    });
    await service.answers(
      [odd(token11(IDS.turkish)), token11Is(TOKENS.turkish)],
      [odd(token12(IDS.turkish)), token12Is(TOKENS.turkish)],
    );
  });

  it('16 Comment, CDATA and processing instruction inside a value', async () => {
    await service.answers(
      ...noValue('a<!-- b -->c'),
      ...noValue('a<?b c?>d'),
      ...arrives(`<id>${MARK}<![CDATA[<a>&amp;]]></id>`, 'markup'),
    );
  });

  it('17 Types, nil and references: xsi:type, xsi:nil, href', async () => {
    const empty: readonly Case[] = ['<id xsi:nil="true"/>', '<id href="#x"/>'].flatMap((inside) => {
      const element = `<GetTokenDevice xmlns="${NAMESPACE}">${inside}</GetTokenDevice>`;
      const text = 'Parameter id is empty.';
      const answers: readonly [WireAnswer, WireAnswer] = [
        fault11('Client', text, { cacheControl: FRESH }),
        fault12('Sender', text, { cacheControl: FRESH }),
      ];
      return [
        [soap11(PUSH, 'GetTokenDevice', envelope11(element)), answers[0]],
        [soap12(PUSH, envelope12(element)), answers[1]],
      ];
    });
    await service.answers(
      ...arrives(`<id xsi:type="xsd:int">${IDS.plain}</id>`, 'plain'),
      ...arrives(`<id xsi:nil="true">${IDS.plain}</id>`, 'plain'),
      ...empty,
    );
  });
});
