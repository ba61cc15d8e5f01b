import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';

import express, { type Router } from 'express';
import type { Tokens } from 'marked';

import { html, Html, NOTHING } from '../../support/html';
import { PACKAGE_ROOT } from '../../support/package-root';
import type { AdminUsers } from '../../admin/login/admin-login';
import type { Language } from '../../admin/texts/words';
import { findViewer, sendPage } from '../../admin/console/console-page';

const FOLDER = 'docs';
const FIRST = 'docs/index.md';
/** Matches the folder of documents that are translated into a language. */
const TRANSLATED = /^docs\/([a-z]{2})\//;
/** Documents outside the folder that its pages link to. */
const BESIDE = ['CHANGELOG.md', 'SECURITY.md'];

interface DocumentPage {
  readonly title: string;
  readonly content: Html;
}

/** Serves the package's documents at /docs, so that links to them work without the internet. */
export function documentsPages(users: AdminUsers): Router {
  const router = express.Router();
  let reading: Promise<ReadonlyMap<string, string>> | undefined;
  router.get(['/docs', '/docs/*path'], async (request, response, next) => {
    reading ??= readAddresses();
    const addresses = await reading;
    const found = [...addresses].find(([, address]) => address === request.path.replace(/(?<=.)\/$/, ''));
    if (found === undefined) next();
    else if (found[0].endsWith('.png')) response.sendFile(found[0], { root: PACKAGE_ROOT });
    else {
      const viewer = findViewer(users, response);
      const { words } = viewer;
      const path = inLanguage(words.language, found[0], addresses);
      const language = languageOf(path);
      const { title, content } = await readPage(path, addresses);
      const note = language === 'en' ? words.ofEnglish('This document is in English.') : NOTHING;
      sendPage(response, viewer, {
        title,
        section: '/docs',
        content: html`${note}<div lang="${language}">${content}</div>`,
      });
    }
  });
  return router;
}

/** Returns the path of a document in a language, or in English. */
function inLanguage(language: Language, path: string, addresses: ReadonlyMap<string, string>): string {
  const translated = path.replace(FOLDER, `${FOLDER}/${language}`);
  return addresses.has(translated) ? translated : path;
}

function languageOf(path: string): string {
  return TRANSLATED.exec(path)?.[1] ?? 'en';
}

/** Returns the address of each document and picture, by its path in the package. */
async function readAddresses(): Promise<ReadonlyMap<string, string>> {
  const files = await readdir(join(PACKAGE_ROOT, FOLDER), { recursive: true });
  const paths = files.map((file) => `${FOLDER}/${file.split(sep).join('/')}`);
  const served = [...paths.filter((path) => /\.(?:md|png)$/.test(path)), ...BESIDE];
  return new Map(served.map((path) => [path, pageAddress(path)]));
}

function pageAddress(path: string): string {
  if (path === FIRST) return `/${FOLDER}`;
  const below = path.startsWith(`${FOLDER}/`) ? path : `${FOLDER}/${path}`;
  return `/${below.replace(/\.md$/, '')}`;
}

/** Reads a document. Markup in it is dropped, and links to unavailable files become plain text. */
async function readPage(path: string, addresses: ReadonlyMap<string, string>): Promise<DocumentPage> {
  const { Marked } = await import('marked');
  const marked = new Marked();
  // A translation has the anchors of its original: links into it fit every language.
  const original = originalOf(path);
  const anchors = original === undefined ? [] : await readAnchors(original);
  const headings = new Map<string, number>();
  let title = '';
  const hrefOf = (href: string): string | undefined => {
    if (/^(?:https?:\/\/|#)/.test(href)) return href;
    const [file = '', anchor] = href.split('#', 2);
    const address = addresses.get(posix.join(dirname(path), file));
    return address === undefined || anchor === undefined ? address : `${address}#${anchor}`;
  };
  marked.use({
    renderer: {
      html: () => '',
      heading({ tokens, depth, text }: Tokens.Heading) {
        const content = new Html(this.parser.parseInline(tokens));
        if (depth === 1) title = text;
        const own = headingAnchor(text, headings);
        return html`<h${String(depth)} id="${anchors.shift() ?? own}">${content}</h${String(depth)}>\n`.text;
      },
      link({ href, tokens }: Tokens.Link) {
        const content = new Html(this.parser.parseInline(tokens));
        const target = hrefOf(href);
        return target === undefined ? content.text : html`<a href="${target}">${content}</a>`.text;
      },
      image({ href, text }: Tokens.Image) {
        const target = hrefOf(href);
        return target === undefined ? '' : html`<img src="${target}" alt="${text}">`.text;
      },
      code({ text }: Tokens.Code) {
        return html`<pre tabindex="0"><code>${text}</code></pre>\n`.text;
      },
      table(token: Tokens.Table) {
        const row = (tag: string, cells: readonly Tokens.TableCell[]): Html =>
          html`<tr>\
${cells.map(({ tokens }) => new Html(`<${tag}>${this.parser.parseInline(tokens)}</${tag}>`))}</tr>\n`;
        return html`<div class="scroll" role="region" aria-label="Table" tabindex="0"><table class="list">
<thead>${row('th', token.header)}</thead>
<tbody>${token.rows.map((cells) => row('td', cells))}</tbody>
</table></div>
`.text;
      },
    },
  });
  const content = new Html(await marked.parse(await readFile(join(PACKAGE_ROOT, path), 'utf8')));
  return { title, content };
}

/** Returns the English document of a translated one. */
function originalOf(path: string): string | undefined {
  return TRANSLATED.test(path) ? path.replace(TRANSLATED, `${FOLDER}/`) : undefined;
}

/** Returns the anchors of a document's headings, in their order. */
async function readAnchors(path: string): Promise<string[]> {
  const { lexer } = await import('marked');
  const seen = new Map<string, number>();
  return lexer(await readFile(join(PACKAGE_ROOT, path), 'utf8')).flatMap((token) =>
    token.type === 'heading' ? [headingAnchor((token as Tokens.Heading).text, seen)] : [],
  );
}

/** Returns the anchor of a heading as GitHub generates it; `seen` counts equal ones on the page. */
function headingAnchor(heading: string, seen: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  const before = seen.get(anchor) ?? 0;
  seen.set(anchor, before + 1);
  return before === 0 ? anchor : `${anchor}-${String(before)}`;
}
