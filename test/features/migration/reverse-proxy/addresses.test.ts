import { exchange, type Header } from '../../../../scripts/harness';
import { startProxy, startOld, useClosing } from './use-reverse-proxy';

const closing = useClosing();

const HOST: Header = ['Host', 'school.example:8080'];
const TLS: readonly Header[] = [HOST, ['X-Forwarded-Proto', 'https'], ['X-Forwarded-Host', 'public.example']];
const OWN =
  '<a location="http://school.example:8080/GetNoteType.asmx" x="http://school.example:80801/ http://school.example/"/>ş';
const CHANGED = OWN.replace('http://school.example:8080/G', 'https://public.example/G');

interface OldAnswer {
  readonly type?: string;
  readonly text?: string;
  readonly coding?: string;
  readonly publicAddress?: string;
}

async function asked(path: string, headers: readonly Header[], given: OldAnswer = {}) {
  const { type = 'text/xml; charset=utf-8', text = OWN, coding, publicAddress } = given;
  const codings: (string | undefined)[] = [];
  const old = closing(
    await startOld((message, response) => {
      codings.push(message.headers['accept-encoding']);
      const length = Buffer.byteLength(text);
      response.writeHead(200, {
        'Content-Type': type,
        'Content-Length': length,
        ...(coding && { 'Content-Encoding': coding }),
      });
      message.resume().on('end', () => response.end(text));
    }),
  );
  const proxy = closing(await startProxy({ old: old.port, trustProxy: 1, publicAddress }));
  const answer = await exchange(proxy.port, { path, headers: [...headers, ['Accept-Encoding', 'gzip']] });
  return { text: answer.text, length: answer.header('Content-Length'), codings };
}

const WSDL = '/GetNoteType.asmx?WSDL';

describe('a document of the old server', () => {
  it.each(['text/xml; charset=utf-8', 'text/html', 'application/xml', 'application/wsdl+xml'])(
    'contains the address that the caller sees, as %s',
    async (type) => {
      const { text, length, codings } = await asked(WSDL, TLS, { type });
      expect(text).toBe(CHANGED);
      expect(length).toBe(String(Buffer.byteLength(CHANGED)));
      expect(codings).toEqual([undefined]);
    },
  );

  it('contains the public address if there is one', async () => {
    const { text } = await asked(WSDL, [HOST], { publicAddress: 'https://base.example/a' });
    expect(text).toContain('location="https://base.example/a/GetNoteType.asmx"');
  });

  it.each<readonly [string, string, readonly Header[], OldAnswer]>([
    ['the caller sees the same address', WSDL, [HOST], {}],
    ['it is not text', WSDL, TLS, { type: 'image/png' }],
    ['it is compressed', WSDL, TLS, { coding: 'gzip' }],
    ['it is too long', WSDL, TLS, { text: OWN + 'x'.repeat(2_000_000) }],
    ['it does not belong to an endpoint', '/elsewhere', TLS, {}],
    ['it is an answer', '/GetNoteType.asmx/GetStudentsNoteType', TLS, {}],
  ])('is returned unchanged if %s', async (_what, path, headers, given) => {
    const { text, length } = await asked(path, headers, given);
    expect(text).toBe(given.text ?? OWN);
    expect(length).toBe(String(Buffer.byteLength(text)));
  });
});
