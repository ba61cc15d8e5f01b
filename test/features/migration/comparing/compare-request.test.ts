import {
  compareRequest,
  type RequestComparison,
} from '../../../../src/features/migration/comparing/compare-request';
import { Target } from '../../../../src/features/migration/comparing/target';
import type { HttpRequest } from '../../../../src/features/migration/messages';
import type { CompareOptions } from '../../../../src/features/migration/verdict/compare-answers';
import { fails } from '../../../../src/features/migration/verdict/verdict';
import { type TestServer, useHttpServers } from './http-servers';

const REQUEST: HttpRequest = { method: 'GET', target: '/A.asmx?WSDL', headers: [], body: Buffer.alloc(0) };

describe('a pair of answers', () => {
  const start = useHttpServers();
  const { signal } = new AbortController();

  /** Returns what is said of two answers, each made of the addresses of its server and of the other. */
  async function judged(type: string, old: (own: URL) => string, ours: (own: URL) => string, path = '') {
    const serverOf = (text: (own: URL) => string): Promise<TestServer> => {
      const started: Promise<TestServer> = start((_, response) => {
        void started.then(({ url }) => {
          response.setHeader('Content-Type', type).end(text(new URL(url)));
        });
      });
      return started;
    };
    const servers = await Promise.all([serverOf(old), serverOf(ours)]);
    return (await compared(servers, { again: false }, path)).verdict.level;
  }

  /** Compares answers of the old and the new server, whose address may contain a path. */
  async function compared(
    servers: readonly TestServer[],
    options: CompareOptions & { readonly again: boolean },
    path = '',
    asked = REQUEST,
  ): Promise<RequestComparison> {
    const limits = { headers: [], ca: undefined, milliseconds: 20_000, bytes: 1e6, connections: 1 };
    const [theirs, own] = await Promise.all(
      servers.map(({ url }, index) =>
        Target.open({ ...limits, url: new URL(url + (index === 1 ? path : '')) }),
      ),
    );
    if (theirs === undefined || own === undefined) throw new Error('There are two.');
    try {
      return await compareRequest(asked, { old: theirs, ours: own }, { ...options, signal });
    } finally {
      await Promise.all([theirs.close(), own.close()]);
    }
  }

  const named = ({ origin }: URL) => `<a>${origin}/A.asmx ${origin}</a>`;

  it('is equal if each server names itself', async () => {
    expect(await judged('text/xml', named, named)).toBe('bytes');
    expect(
      await judged('text/xml', named, ({ origin }) => `<a>${origin}/b/A.asmx ${origin}/b</a>`, '/b/'),
    ).toBe('bytes');
  });

  it('differs if the new server names another server', async () => {
    for (const more of ['0', '.example', ':1'])
      expect(
        await judged(
          'text/xml',
          ({ origin }) => `<a>${origin}${more}</a>`,
          ({ origin }) => `<a>${origin}${more}</a>`,
        ),
      ).toBe('different');
  });

  it('treats the two hosts as equal only on pages', async () => {
    const host = (own: URL) => `<a>Host: ${own.host}</a>`;
    expect(await judged('text/html; charset=utf-8', host, host)).toBe('bytes');
    expect(await judged('text/xml', host, host)).toBe('different');
  });

  describe('of servers that change a header with each answer', () => {
    let answers = 0;
    const serverWith = (header: string): Promise<TestServer> =>
      start((_, response) => {
        answers += 1;
        response
          .setHeader('Content-Type', 'text/xml')
          .setHeader(header, `answer ${String(answers)}`)
          .end('<a />');
      });

    it('ignores a chosen header that also differs between old answers', async () => {
      const servers = await Promise.all([serverWith('X-Answer'), serverWith('X-Answer')]);
      const chosen = { comparedHeaders: ['X-Answer'] };
      expect(await compared(servers, { ...chosen, again: false })).toMatchObject({
        ...{ verdict: { level: 'different' }, isNoisy: false },
      });
      expect(await compared(servers, { ...chosen, again: true })).toMatchObject({
        ...{ verdict: { level: 'bytes' }, isNoisy: true },
      });
    });

    it('is not noisy because of an ignored header', async () => {
      const servers = await Promise.all([serverWith('Expires'), serverWith('Expires')]);
      const options = { again: true, ignoredHeaders: ['Expires'] };
      expect(await compared(servers, options)).toMatchObject({ verdict: { level: 'bytes' }, isNoisy: false });
    });
  });

  describe.each([
    ['GET', (id: string) => ({ method: 'GET', target: `/D.asmx/GetTokenDevice?id=${id}` })],
    [
      'POST',
      (id: string) => ({ method: 'POST', target: '/D.asmx/GetTokenDevice', body: Buffer.from(`id=${id}`) }),
    ],
    [
      'SOAP',
      (id: string) => ({
        method: 'POST',
        target: '/D.asmx',
        body: Buffer.from(`<e><Get><id>${id}</id></Get></e>`),
      }),
    ],
  ])('of a call over %s for an id that only the old server finds', (_name, call) => {
    /** A server that knows one id, in this letter case or in any. */
    const knows = (id: string, isSame: (one: string, other: string) => boolean) =>
      start(({ target, body }, response) => {
        const asked = /id[=>]([^<&]*)/.exec(decodeURIComponent(target + body.toString()))?.[1];
        response
          .setHeader('Content-Type', 'text/xml')
          .end(isSame(asked ?? '', id) ? '<a>token</a>' : '<a />');
      });
    const exactly = (one: string, other: string) => one === other;
    const inAnyCase = (one: string, other: string) =>
      one.toLocaleLowerCase('tr') === other.toLocaleLowerCase('tr');

    it.each([
      ['dev-1', 'DEV-1'],
      ['DEV-1', 'dev-1'],
      ['dev-i', 'DEV-İ'],
      ['dev?1', 'DEV?1'],
    ])('asked as %j and stored as %j names the letter case', async (asked, stored) => {
      const servers = [await knows(stored, inAnyCase), await knows(stored, exactly)];
      const { verdict } = await compared(servers, { again: true }, '', request(call(asked)));
      expect(verdict.differences.map(({ what }) => what)).toEqual(['letter case']);
      expect(fails(verdict)).toBe(true);
    });

    it('is a plain difference if no letter case is found, and if the call may not be repeated', async () => {
      const servers = [await knows('DEV-1', inAnyCase), await knows('OTHER', exactly)];
      const { verdict } = await compared(servers, { again: true }, '', request(call('dev-1')));
      expect(verdict.differences.map(({ what }) => what)).toEqual(['changed']);
      const others = [await knows('DEV-1', inAnyCase), await knows('DEV-1', exactly)];
      await compared(others, { again: false }, '', request(call('dev-1')));
      expect(others[1]?.asked).toHaveLength(1);
    });
  });
});

function request(parts: Partial<HttpRequest>): HttpRequest {
  return { ...REQUEST, ...parts };
}
