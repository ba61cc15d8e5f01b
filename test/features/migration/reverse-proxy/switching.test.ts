import {
  call,
  chunked,
  envelope12,
  exchange,
  get,
  type RawRequest,
  request,
  token11,
  token12,
  withConnection,
  withHeaders,
} from '../../../../scripts/harness';
import { token11Is, token12Is } from '../../../harness/asmx-answers';
import { startProxy, startOld, useClosing, useCutOver } from './use-reverse-proxy';

const closing = useClosing();
const writeModes = useCutOver();

/** A proxy before an old server that says of all that it is the old one. */
async function switched(content: object) {
  const old = closing(
    await startOld((message, response) => {
      message.resume().on('end', () => response.end('the old one'));
    }),
  );
  const proxy = closing(await startProxy({ old: old.port, cutoverFile: writeModes(content) }));
  const who = async (sent: RawRequest): Promise<string> =>
    (await exchange(proxy.port, sent)).text === 'the old one' ? 'old' : 'new';
  return { proxy, who };
}

const CALLS = (['soap11', 'soap12', 'get', 'post'] as const).map((binding) =>
  request(binding, 'PushNotificationMobile', 'GetTokenDevice', { id: 'a' }),
);

const ALL_NEW = Object.fromEntries(
  [
    'AuthCode',
    'SendMarkNotes',
    'GetTokenDevice',
    'GetStudentSchool',
    'GetExamTableByExamId',
    'GetStudentsNoteType',
  ].map((name) => [name, 'new']),
);

describe('a call', () => {
  it('is answered by the server that the file names for its operation and binding', async () => {
    const { who } = await switched({
      GetTokenDevice: { soap11: 'new', soap12: 'old', get: 'old', post: 'new' },
    });
    expect(await Promise.all(CALLS.map(who))).toEqual(['new', 'old', 'old', 'new']);
    expect(await who(request('soap11', 'AuthCodeSending', 'AuthCode', { code: '1', phone: '2' }))).toBe(
      'old',
    );
  });

  it("with mode new gets the new server's exact answer", async () => {
    const { proxy } = await switched({ GetTokenDevice: 'new' });
    const direct = await exchange(proxy.port, token11('a'));
    expect(direct.text).toBe(token11Is('TOKEN-a').body);
    expect(direct.header('X-AspNet-Version')).toBe('4.0.30319');
  });

  it('named only in its body follows the mode of that operation', async () => {
    const { proxy, who } = await switched({ GetTokenDevice: { soap12: 'new' } });
    expect((await exchange(proxy.port, token12('a'))).text).toBe(token12Is('TOKEN-a').body);
    const inChunks = withHeaders(token12('b'), ['Transfer-Encoding', 'chunked']);
    const body = chunked(...String(inChunks.body).split(/(?<=>)/));
    expect((await exchange(proxy.port, { ...inChunks, body })).text).toBe(token12Is('TOKEN-b').body);
    const other = { ...token12('a'), body: envelope12(call('AuthCode')) };
    expect(await who(other)).toBe('old');
  });

  it('named only in its body gets 100 Continue once if it asks first', async () => {
    const { proxy } = await switched({ GetTokenDevice: { soap12: 'new' } });
    const { path: target, headers = [], body = '' } = token12('a');
    const statuses = await withConnection(proxy.port, async (connection) => {
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      connection.write(
        `POST ${target} HTTP/1.1\r\nHost: a\r\n${lines}Expect: 100-continue\r\nContent-Length: ${String(body.length)}\r\n\r\n`,
      );
      const first = await connection.read('POST');
      connection.write(body);
      return [first.status, (await connection.read('POST')).status];
    });
    expect(statuses).toEqual([100, 200]);
  });

  it('whose operation cannot be determined goes to the old server', async () => {
    const { who } = await switched({ ...ALL_NEW, AuthCode: 'old' });
    const long = token12(`a${' '.repeat(20_000)}`);
    expect(
      await Promise.all(
        [{ ...token12('a'), body: '<' }, long, get('PushNotificationMobile', 'None')].map(who),
      ),
    ).toEqual(['old', 'old', 'old']);
  });
});

describe('descriptions, pages and unknown requests', () => {
  const DOCUMENTS = [
    '/PushNotificationMobile.asmx?WSDL',
    '/PushNotificationMobile.asmx',
    '/GetNoteType.asmx?disco',
    '/',
  ];

  it('go to the old server until every call is new', async () => {
    const { who, proxy } = await switched({ ...ALL_NEW, AuthCode: { soap11: 'new' } });
    const all = () => Promise.all(DOCUMENTS.map((target) => who({ path: target })));
    expect(await all()).toEqual(['old', 'old', 'old', 'old']);
    writeModes(ALL_NEW);
    proxy.proxy.reload({ RECORD_FILE: undefined });
    expect(await all()).toEqual(['new', 'new', 'new', 'new']);
    expect(await who({ ...token12('a'), body: '<' })).toBe('new');
  });

  it('go to the old server if the new one has no such service', async () => {
    const { who } = await switched(ALL_NEW);
    expect(await who({ path: '/other.aspx' })).toBe('old');
  });
});
