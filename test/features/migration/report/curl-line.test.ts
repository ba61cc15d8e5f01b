import type { Header, HttpRequest } from '../../../../src/features/migration/messages';
import { curlLine } from '../../../../src/features/migration/report/findings';

function line(method: string, target: string, headers: readonly Header[] = [], body = ''): string {
  const request: HttpRequest = { method, target, headers, body: Buffer.from(body) };
  return curlLine(request, 'http://new.example:8080');
}

const FORM: Header = ['Content-Type', 'application/x-www-form-urlencoded'];
const TEXT_XML: Header = ['Content-Type', 'text/xml; charset=utf-8'];

describe('the curl line of an example', () => {
  it.each([
    [
      'a query',
      line('GET', '/A.asmx/GetStudent?id=S-17&name=Ay%C5%9Fe%20K&x=%u0131'),
      "curl -i 'http://new.example:8080/A.asmx/GetStudent?id=X-99&name=Xx%C3%A9x%20X&x=%u00E9'",
    ],
    ['a document', line('GET', '/A.asmx?WSDL'), "curl -i 'http://new.example:8080/A.asmx?WSDL'"],
    ['a value without a name', line('GET', '/A.asmx?Ayse'), "curl -i 'http://new.example:8080/A.asmx?Xxxx'"],
    [
      'a value in a path',
      line('GET', '/A.asmx/5551234567'),
      "curl -i 'http://new.example:8080/A.asmx/9999999999'",
    ],
    [
      'a form',
      line('POST', '/A.asmx/Send', [FORM, ['Content-Length', '33']], 'code=12 34&phone=%2B905551234567'),
      "curl -i 'http://new.example:8080/A.asmx/Send' -H 'Content-Type: application/x-www-form-urlencoded' --data-binary 'code=99 99&phone=%2B999999999999'",
    ],
    [
      'an envelope',
      line(
        'POST',
        '/A.asmx',
        [TEXT_XML, ['SOAPAction', '"http://tempuri.org/Send"'], ['Cookie', 'session=abc1']],
        `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><!-- Ali --><s:Body id="b-7"><phone s:mustUnderstand="1">+90 5</phone>\r\n<n>O'Neil &amp; &#65;</n><![CDATA[Ali]]></s:Body>`,
      ),
      `curl -i 'http://new.example:8080/A.asmx' -H 'Content-Type: text/xml; charset=utf-8' -H 'SOAPAction: "http://tempuri.org/Send"' -H 'Cookie: xxxxxxx=xxx9' --data-binary $'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><!-- Xxx --><s:Body id="x-9"><phone s:mustUnderstand="1">+99 9</phone>\\r\\n<n>X\\'Xxxx &amp; &#120;</n><![CDATA[Xxx]]></s:Body>'`,
    ],
    [
      'other bodies, and other methods',
      line('PUT', '/A.asmx', [['Content-Type', 'application/json']], '{"name":"Ali"}'),
      `curl -i -X 'PUT' 'http://new.example:8080/A.asmx' -H 'Content-Type: application/json' --data-binary '{"name":"Xxx"}'`,
    ],
    ['a head', line('HEAD', '/'), "curl -I 'http://new.example:8080/'"],
  ])('masks %s and keeps its structure', (_, actual, expected) => {
    expect(actual).toBe(expected);
  });

  it('is a single line of limited length', () => {
    const long = line(
      'POST',
      `/A.asmx?${'x'.repeat(10_000)}`,
      [TEXT_XML],
      `<a>\u001b[31m${'\n'.repeat(1e6)}</a>`,
    );
    expect(long.length).toBeLessThan(20_000);
    expect(long).not.toMatch(/\p{Cc}/u);
  });
});
