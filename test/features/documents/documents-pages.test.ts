import { RULE_GROUPS } from '../../../src/admin/alerts/alerts';
import { LANGUAGES, Words } from '../../../src/admin/texts/words';
import { repositoryFiles } from '../../harness/repository-files';
import { useConsole } from '../../admin/console/use-console';

const DOCUMENTS = repositoryFiles('.md').filter((path) => path.startsWith('docs/'));
const FIRST = '/docs';

describe('the documents in the console', () => {
  const console = useConsole('sqlite');

  /** Follows the links of the pages from the first one. Returns each page's text by its address. */
  async function crawl(): Promise<ReadonlyMap<string, string>> {
    const pages = new Map([[FIRST, '']]);
    for (const path of pages.keys()) {
      const { status, text, headers } = await console.get(path);
      expect([path, status]).toEqual([path, 200]);
      if (headers.get('content-type')?.startsWith('text/html') !== true) continue;
      const [main = ''] = /<main[^]*<\/main>/.exec(text) ?? [];
      pages.set(path, main);
      for (const [, target = ''] of main.matchAll(/(?:href|src)="(\/[^"#]*)[^"]*"/g))
        if (!pages.has(target)) pages.set(target, '');
    }
    return pages;
  }

  it('link from the first page to all others, and to existing headings', async () => {
    const pages = await crawl();
    const addresses = DOCUMENTS.map((path) => `/${path.replace(/\.md$/, '')}`.replace('/docs/index', FIRST));
    expect([...pages.keys()]).toEqual(expect.arrayContaining(addresses));
    for (const [path, main] of pages)
      for (const [link, target = '', anchor = ''] of main.matchAll(/href="([^"#]*)#([^"]+)"/g)) {
        const text = target === '' ? main : (pages.get(target) ?? '');
        expect([path, link, text.includes(`id="${anchor}"`)]).toEqual([path, link, true]);
      }
  });

  it('have a heading for each alert, to which the overview links', async () => {
    const { text } = await console.get('/docs/alerts');
    for (const { name } of Object.values(RULE_GROUPS).flat())
      expect(text).toContain(`<h2 id="${name.toLowerCase()}">`);
    expect((await console.get('/')).text).toContain('href="/docs/alerts#');
  });

  it('contain none of the markup in the source', async () => {
    const { text } = await console.get('/docs/messages');
    expect(text).toContain('<code>providerId</code>');
    expect(text).not.toContain('<!-- fields');
  });

  const read = async (path: string, language: string) =>
    (await fetch(console.origin + path, { headers: { 'Accept-Language': language } })).text();

  it.each(LANGUAGES)(
    'are shown in $name to its readers, with the anchors of the original',
    async ({ tag }) => {
      const page = await read('/docs/messages', tag);
      expect(page).toMatch(new RegExp(`<div lang="${tag}"><h1 id="messages">.*<h2 id="states">`, 's'));
      expect(page).toContain(tag === 'en' ? 'href="/docs/console"' : `href="/docs/${tag}/console"`);
      const note = `${new Words(tag, 'UTC').t('This document is in English.')}</p>\n<div lang="en">`;
      expect(page).not.toContain(note);
      expect((await read('/docs/install', tag)).includes(note)).toBe(tag !== 'en');
    },
  );

  it('are shown in another language at its own addresses', async () => {
    expect(await read('/docs/tr/messages', 'en')).toContain('<div lang="tr"><h1 id="messages">Mesajlar</h1>');
  });

  it('cannot be read by other paths in the package', async () => {
    for (const path of ['/docs/nothing', '/docs/..%2fpackage.json', '/docs/LICENSE', '/docs/reference'])
      expect((await console.get(path)).status).toBe(404);
  });
});
