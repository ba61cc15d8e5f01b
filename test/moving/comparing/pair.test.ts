import { comparePair } from '../../../src/moving/comparing/pair';
import { Side } from '../../../src/moving/comparing/side';
import type { HttpRequest } from '../../../src/moving';
import { type TestServer, useHttpServers } from './http-servers';

const REQUEST: HttpRequest = { method: 'GET', target: '/A.asmx?WSDL', headers: [], body: Buffer.alloc(0) };

describe('a pair of answers', () => {
  const start = useHttpServers();
  const { signal } = new AbortController();

  /** What is said of two answers, each made of the addresses of its server and of the other. */
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
    const options = { headers: [], ca: undefined, milliseconds: 20_000, bytes: 1e6, connections: 1 };
    const [theirs, own] = await Promise.all(
      servers.map(({ url }, index) =>
        Side.open({ ...options, url: new URL(url + (index === 1 ? path : '')) }),
      ),
    );
    if (theirs === undefined || own === undefined) throw new Error('There are two.');
    try {
      return (await comparePair(REQUEST, { old: theirs, ours: own }, { again: false, signal })).verdict.level;
    } finally {
      await Promise.all([theirs.close(), own.close()]);
    }
  }

  const named = ({ origin }: URL) => `<a>${origin}/A.asmx ${origin}</a>`;

  it('is equal where each server names itself', async () => {
    expect(await judged('text/xml', named, named)).toBe('bytes');
    expect(
      await judged('text/xml', named, ({ origin }) => `<a>${origin}/b/A.asmx ${origin}/b</a>`, '/b/'),
    ).toBe('bytes');
  });

  it('differs where the new server names another than itself', async () => {
    for (const more of ['0', '.example', ':1'])
      expect(
        await judged(
          'text/xml',
          ({ origin }) => `<a>${origin}${more}</a>`,
          ({ origin }) => `<a>${origin}${more}</a>`,
        ),
      ).toBe('different');
  });

  it('has the host alone read as the other only on pages', async () => {
    const host = (own: URL) => `<a>Host: ${own.host}</a>`;
    expect(await judged('text/html; charset=utf-8', host, host)).toBe('bytes');
    expect(await judged('text/xml', host, host)).toBe('different');
  });
});
