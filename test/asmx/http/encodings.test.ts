// The wire contract, section 6.

import { token11Is, token12Is } from '../../harness/asmx-answers';
import {
  call,
  envelope11,
  envelope12,
  NAMESPACE,
  type RawRequest,
  withHeaders,
} from '../../../scripts/harness';
import { decodeXmlBody, findDecoder } from '../../../src/asmx/http/request-encoding';
import { useReference } from '../../harness/use-server';

// text/xml without a charset is read by byte order mark, XML declaration, then
// UTF-8, where ASP.NET takes US-ASCII and loses what is not ASCII.
const reference = useReference();

const TURKISH = '\u0130\u015F\u00E9';

const ENCODERS: Readonly<Record<string, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text, 'utf8'),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'iso-8859-9': encodeTurkish,
  'windows-1254': encodeTurkish,
  'iso-8859-1': (text) => Buffer.from(text, 'latin1'),
};

/** ISO 8859-9 and Windows-1254 have the Turkish letters at the same six places of Latin 1. */
function encodeTurkish(text: string): Buffer {
  const places: Readonly<Record<string, string>> = {
    '\u011E': '\u00D0',
    '\u0130': '\u00DD',
    '\u015E': '\u00DE',
    '\u011F': '\u00F0',
    '\u0131': '\u00FD',
    '\u015F': '\u00FE',
  };
  return Buffer.from(
    text.replace(/[^\0-\u00FF]/g, (letter) => places[letter] ?? '?'),
    'latin1',
  );
}

interface Message {
  /** Value of the charset parameter; undefined for none. */
  readonly charset?: string | undefined;
  /** How the bytes are written. */
  readonly encoding: string;
  /** Encoding that the XML declaration names; undefined for no declaration. */
  readonly declared?: string | undefined;
  readonly mark?: boolean | undefined;
  readonly text?: string | undefined;
}

function bytesOf(envelope: string, { encoding, declared, mark = false }: Message): Buffer {
  const declaration = declared === undefined ? '' : `<?xml version="1.0" encoding="${declared}"?>`;
  const text = declaration + envelope.replace(/^<\?xml.*?\?>/, '');
  return (ENCODERS[encoding] ?? Buffer.from)((mark ? '\uFEFF' : '') + text);
}

function request11(message: Message): RawRequest {
  const element = call('GetTokenDevice', { id: `hex:${message.text ?? TURKISH}` });
  const charset = message.charset === undefined ? '' : `; charset=${message.charset}`;
  return {
    path: '/PushNotificationMobile.asmx',
    headers: [
      ['Content-Type', `text/xml${charset}`],
      ['SOAPAction', `"${NAMESPACE}GetTokenDevice"`],
    ],
    body: bytesOf(envelope11(element), message),
  };
}

function request12(message: Message): RawRequest {
  const element = call('GetTokenDevice', { id: `hex:${message.text ?? TURKISH}` });
  const charset = message.charset === undefined ? '' : `; charset=${message.charset}`;
  return {
    path: '/PushNotificationMobile.asmx',
    headers: [['Content-Type', `application/soap+xml${charset}`]],
    body: bytesOf(envelope12(element), message),
  };
}

function hex(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `006800650078003a${units.map((unit) => unit.toString(16).padStart(4, '0')).join('')}`;
}

async function expectText(message: Message, text = TURKISH) {
  expect(await reference.ask(request11(message))).toEqual(token11Is(hex(text)));
  expect(await reference.ask(request12(message))).toEqual(token12Is(hex(text)));
}

describe('the charset of the content type', () => {
  it.each([
    ['utf-8', 'utf-8'],
    ['UTF-8', 'utf-8'],
    ['utf8', 'utf-8'],
    ['"utf-8"', 'utf-8'],
    ["'utf-8'", 'utf-8'],
    ['" utf-8 "', 'utf-8'],
    ['utf-16', 'utf-16le'],
    ['UTF-16', 'utf-16le'],
    ['"utf-16"', 'utf-16le'],
    ['utf-16le', 'utf-16le'],
    ['utf-16be', 'utf-16be'],
    ['iso-8859-9', 'iso-8859-9'],
    ['ISO-8859-9', 'iso-8859-9'],
    ['windows-1254', 'windows-1254'],
    ["'windows-1254'", 'windows-1254'],
  ])('determines how the bytes are read: %s', async (charset, encoding) => {
    await expectText({ charset, encoding });
  });

  it('may be iso-8859-1', async () => {
    await expectText({ charset: 'iso-8859-1', encoding: 'iso-8859-1', text: 'é' }, 'é');
  });

  it('supports all Turkish letters', async () => {
    const text = '\u011E\u0130\u015E\u011F\u0131\u015F\u00C7\u00D6\u00DC\u00E7\u00F6\u00FC';
    await expectText({ charset: 'iso-8859-9', encoding: 'iso-8859-9', text }, text);
    await expectText({ charset: 'windows-1254', encoding: 'windows-1254', text }, text);
  });

  it('takes precedence over the XML declaration', async () => {
    await expectText({ charset: 'utf-8', encoding: 'utf-8', declared: 'iso-8859-9' });
    await expectText({ charset: 'iso-8859-9', encoding: 'iso-8859-9', declared: 'utf-8' });
    await expectText({ charset: 'utf-8', encoding: 'utf-8', declared: 'utf-16' });
    await expectText({ charset: 'utf-16', encoding: 'utf-16le', declared: 'utf-8' });
  });

  it('is found among other parameters', async () => {
    const request = request11({ encoding: 'iso-8859-9' });
    const headers = [
      ['Content-Type', 'text/xml; action="x"; CHARSET=iso-8859-9; type=y'],
      ['SOAPAction', `"${NAMESPACE}GetTokenDevice"`],
    ] as const;
    expect(await reference.ask({ ...request, headers })).toEqual(token11Is(hex(TURKISH)));
  });
});

describe('a byte order mark', () => {
  it.each([
    ['utf-16', 'utf-16le'],
    ['utf-16', 'utf-16be'],
    ['utf-8', 'utf-8'],
    ['utf-8', 'utf-16le'],
    ['utf-8', 'utf-16be'],
    [undefined, 'utf-8'],
    [undefined, 'utf-16le'],
    [undefined, 'utf-16be'],
  ])('takes precedence over the charset %s: %s', async (charset, encoding) => {
    await expectText({ charset, encoding, mark: true });
    await expectText({ charset, encoding, mark: true, declared: encoding.slice(0, 6) });
  });
});

describe('without a charset', () => {
  it('bytes are read as UTF-8', async () => {
    await expectText({ encoding: 'utf-8' });
    await expectText({ encoding: 'utf-8', declared: 'utf-8' });
  });

  it.each(['iso-8859-9', 'windows-1254'])(
    'the XML declaration determines how bytes are read: %s',
    async (encoding) => {
      await expectText({ encoding, declared: encoding });
    },
  );
});

describe('without a charset or a byte order mark', () => {
  it.each(['utf-16le', 'utf-16be'])('a declaration in UTF-16 is recognized: %s', async (encoding) => {
    await expectText({ encoding, declared: 'utf-16' });
  });
});

describe('invalid bytes', () => {
  it.each([
    ['invalid UTF-8', [0xff], '\uFFFD'],
    ['a cut sequence', [0xc4], '\uFFFD'],
    ['an overlong slash', [0xc0, 0xaf], '\uFFFD\uFFFD'],
  ])('become U+FFFD: %s', async (_what, bytes, text) => {
    const request = request11({ charset: 'utf-8', encoding: 'utf-8', text: '@' });
    const body = Buffer.from(request.body ?? '');
    const at = body.indexOf('@');
    const broken = Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at + 1)]);
    expect(await reference.ask({ ...request, body: broken })).toEqual(token11Is(hex(text)));
  });
});

it('reads an unknown charset without an error', async () => {
  const request = request11({ charset: 'klingon', encoding: 'utf-8', text: 'abc' });
  expect(await reference.ask(request)).toEqual(token11Is(hex('abc')));
});

it('answers in UTF-8 whatever the caller sends or accepts', async () => {
  const request = withHeaders(
    request11({ charset: 'utf-16', encoding: 'utf-16le' }),
    ['Accept-Charset', 'iso-8859-9'],
    ['Accept', 'application/json'],
    ['Accept-Encoding', 'gzip, br'],
  );
  const response = await reference.send(request);
  expect(response.header('Content-Type')).toBe('text/xml; charset=utf-8');
  expect(response.header('Content-Encoding')).toBeUndefined();
  expect(response.text).toContain(hex(TURKISH));
});

// Where .NET reads other characters than the web's decoders, which take these labels for Windows code pages.
it.each([
  ['iso-8859-1', '\u0080\u0099\u00d0\u00fe'],
  ['Latin1', '\u0080\u0099\u00d0\u00fe'],
  ['US-ASCII', '????'],
  ['ascii', '????'],
  ['ISO-8859-9', '\u0080\u0099\u011e\u015f'],
  ['latin5', '\u0080\u0099\u011e\u015f'],
  ['windows-1254', '\u20ac\u2122\u011e\u015f'],
])('the upper half of %s is read as in .NET', (label, text) => {
  expect(findDecoder(label)?.(Buffer.from([0x41, 0x80, 0x99, 0xd0, 0xfe]))).toBe(`A${text}`);
});

it('no decoder is found for an unknown label', () => {
  expect(findDecoder('utf-9')).toBeUndefined();
  expect(findDecoder('')).toBeUndefined();
});

describe('a body without a charset', () => {
  it.each([
    ['no more than the first two of three bytes of a mark', [0xef, 0xbb, 0x41], '\ufffdA'],
    ['half a mark', [0xff, 0x41], '\ufffdA'],
    ['another half', [0xfe, 0x41], '\ufffdA'],
    ['a mark alone', [0xfe, 0xff], ''],
    ['nothing', [], ''],
  ])('with %s is read as it is', (_what, bytes, text) => {
    expect(decodeXmlBody(Buffer.from(bytes), undefined)).toBe(text);
  });

  it.each([
    ['<?xml version="1.0" encoding = \n "iso-8859-9"?>', '\u011e'],
    ["<?xml encoding='latin1'?>", '\u00d0'],
    ['<?xml version="1.0" encoding="UTF-16"?>', '\ufffd'],
    ['<?xml version="1.0" encoding="x-utf-16"?>', '\ufffd'],
    [' <?xml version="1.0" encoding="latin1"?>', '\ufffd'],
    ['<a b=\'<?xml encoding="latin1"?>\'>', '\ufffd'],
    ['<?xml version="1.0"?><a encoding="latin1">', '\ufffd'],
  ])('is read by its declaration only: %s', (declaration, letter) => {
    const body = Buffer.concat([Buffer.from(declaration), Buffer.from([0xd0])]);
    expect(decodeXmlBody(body, undefined)).toBe(declaration + letter);
  });
});
