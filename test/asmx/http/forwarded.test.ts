// Beyond the wire contract, section 7: the Forwarded header of RFC 7239, section 4, with quoted pairs in its values.

import { readForwardedElements } from '../../../src/asmx/http/forwarded-request';

const NONE = { for: undefined, proto: undefined, host: undefined };

describe('the Forwarded header', () => {
  it.each([
    [
      'one element',
      'for=192.0.2.1;proto=https;host=a.test',
      [{ for: '192.0.2.1', proto: 'https', host: 'a.test' }],
    ],
    [
      'several, with blanks',
      ' for=a , host = b ;proto=http',
      [
        { ...NONE, for: 'a' },
        { ...NONE, host: 'b', proto: 'http' },
      ],
    ],
    ['names in any letter case', 'FOR=a;Proto=HTTP', [{ ...NONE, for: 'a', proto: 'HTTP' }]],
    ['an address with a port', 'for="192.0.2.1:4711"', [{ ...NONE, for: '192.0.2.1' }]],
    ['an IPv6 address', 'for="[2001:db8::1]:4711"', [{ ...NONE, for: '2001:db8::1' }]],
    ['separators within quotes', 'host="a,b;c=d";proto=http', [{ ...NONE, host: 'a,b;c=d', proto: 'http' }]],
    [
      'quoted pairs',
      String.raw`host="\a\"\\b";proto=http`,
      [{ ...NONE, host: String.raw`a"\b`, proto: 'http' }],
    ],
    [
      'separators after a quoted quotation mark',
      String.raw`host="a\",for=127.0.0.1;host=\"b", for=192.0.2.1`,
      [
        { ...NONE, host: 'a",for=127.0.0.1;host="b' },
        { ...NONE, for: '192.0.2.1' },
      ],
    ],
    [
      'separators after a quoted backslash',
      String.raw`host="a\\",for=192.0.2.1`,
      [
        { ...NONE, host: 'a\\' },
        { ...NONE, for: '192.0.2.1' },
      ],
    ],
    [
      'a backslash outside quotes, which quotes nothing',
      String.raw`host=a\",for=b"`,
      [{ ...NONE, host: String.raw`a\",for=b"` }],
    ],
    ['a pair without an equals sign', 'nonsense;host=a', [{ ...NONE, host: 'a' }]],
    ['nothing', '', [NONE]],
  ])('is parsed with %s', (_what, header, elements) => {
    expect(readForwardedElements(header)).toEqual(elements);
  });
});
