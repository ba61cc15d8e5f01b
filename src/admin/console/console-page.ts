import type { Response, Router } from 'express';

import { type Content, html, type Html, NOTHING } from '../../support/html';
import { FEATURE_HELP } from '../../features/feature';
import { contentPolicy, htmlDocument, privatePageHeaders } from '../../support/html-page';
import type { Sentence } from '../../support/phrase';
import type { MessageState } from '../../store';
import { shown } from '../../support/text';
import type { ReceiptText } from '../reports/records';
import type { AdminUser, AdminUsers } from '../login/admin-login';
import { mayUse, type Permission } from '../login/users-file';
import { languageChoice, type Text, type Words } from '../texts/words';
import type { Fields } from './message-address';

/** A page in the navigation. */
export interface NavigationEntry {
  readonly name: Text;
  /** Only users who may do this see it; default: all. */
  readonly action?: Permission;
}

/** Parts of every page that the console finds out for each request. */
export interface PageContext {
  readonly words: Words;
  /** The number of schools and the name of the first one; undefined until they are known. */
  readonly schools: { readonly schools: number; readonly name: string } | undefined;
  /** Pages in the navigation, by their addresses. */
  readonly sections: Readonly<Record<string, NavigationEntry>>;
  /** Elements of the page's head that load files. */
  readonly assets: readonly Html[];
}

export interface PageViewer extends AdminUser, PageContext {
  readonly token: string;
  /** Returns true if the viewer's role permits an action. */
  readonly may: (action: Permission) => boolean;
}

const CONTEXTS = new WeakMap<Response, PageContext>();

export function rememberContext(response: Response, context: PageContext): void {
  CONTEXTS.set(response, context);
}

function contextOf(response: Response): PageContext {
  const context = CONTEXTS.get(response);
  if (context === undefined) throw new Error('The response belongs to no page of the console.');
  return context;
}

/** Returns the texts in the viewer's language. */
export function wordsFor(response: Response): Words {
  return contextOf(response).words;
}

export function findViewer(users: AdminUsers, response: Response): PageViewer {
  const user = users.userFor(response);
  return {
    ...user,
    ...contextOf(response),
    token: users.pageToken(response),
    may: (action) => mayUse(user.role, action),
  };
}

/**
 * Returns a point in time, readable for people and for programs.
 *
 * @param shownAs - `clock`: never as an age
 */
export function timePart(time: number, text: Words, shownAs?: 'clock'): Html {
  const clock = shownAs === undefined ? NOTHING : html` data-clock`;
  return html`<time datetime="${new Date(time).toISOString()}"${clock}>${text.of(time)}</time>`;
}

interface TableOf<Row> {
  /** Label for screen readers. */
  readonly label: Sentence<Text>;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Text without any rows; absent for a table that always has some. */
  readonly none?: Sentence<Text>;
}

interface Column<Row> {
  readonly name: Sentence<Text>;
  readonly cell: (row: Row) => Content | number;
  /** Wide columns are left out on phones, numbers are aligned right, long texts break anywhere. */
  readonly kind?: 'wide' | 'number' | 'wide number' | 'long';
}

/**
 * Returns a table whose rows are cards on a narrow screen; the first column names the row. The roles stay
 * those of a table when the style shows something else.
 */
export function table<Row>(words: Words, { label, rows, columns, none }: TableOf<Row>): Html {
  if (rows.length === 0) return html`<p class="quiet">${none === undefined ? '' : words.said(none)}</p>\n`;
  const title = words.said(label);
  const shownColumns = columns.map(({ name, cell, kind }) => ({
    name: words.said(name),
    style: kind === undefined ? NOTHING : html` class="${kind}"`,
    content: (row: Row): Content => {
      const content = cell(row);
      return typeof content === 'number' ? words.number(content) : content;
    },
  }));
  const head = shownColumns.map(
    ({ name, style }) => html`<th scope="col" role="columnheader"${style}>${name}</th>`,
  );
  const body = rows.map((row) => {
    const cells = shownColumns.map(({ name, style, content }, at) =>
      at === 0
        ? html`<th scope="row" role="rowheader"${style}>${content(row)}</th>`
        : html`<td role="cell" data-name="${name}"${style}>${content(row)}</td>`,
    );
    return html`<tr role="row">${cells}</tr>\n`;
  });
  return html`<div class="scroll" role="region" aria-label="${title}" tabindex="0">
<table class="list cards" role="table" aria-label="${title}">
<thead role="rowgroup"><tr role="row">${head}</tr></thead>
<tbody role="rowgroup">
${body}</tbody>
</table></div>
`;
}

/**
 * Returns a link to a document after a blank; nothing without the feature that serves documents.
 *
 * @param document - its path in docs/, such as `messages#states`
 */
export function helpLink(document: string, words: Words): Html {
  if (FEATURE_HELP === undefined) return NOTHING;
  return html` <a href="${FEATURE_HELP}/${document}">${words.t('Help')}</a>`;
}

/** Returns a count that should be 0; any other is red. */
export function badNumber(count: number, words: Words): Html {
  return count === 0 ? html`0` : html`<span class="bad">${words.number(count)}</span>`;
}

export function facts(label: string, rows: readonly (readonly [name: Content, value: Content])[]): Html {
  const body = rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`);
  return html`<table class="facts" aria-label="${label}"><tbody>
${body}</tbody></table>
`;
}

/** Colour class of a state; the word itself also says it. */
const STATE_KINDS: Readonly<Partial<Record<MessageState | ReceiptText, string>>> = {
  sent: 'good',
  written: 'warn',
  partly: 'warn',
  failed: 'bad',
  expired: 'bad',
  suppressed: 'quiet',
  delivered: 'good',
  undelivered: 'bad',
  'no receipt': 'quiet',
};

export function statePart(state: MessageState | ReceiptText, words: Words): Html {
  return html`<span class="state ${STATE_KINDS[state] ?? 'waiting'}">${words.said(state)}</span>`;
}

/** Returns a part of a page that the page's stream updates. */
export function livePart(id: string, content: Html): Html {
  return html`<div id="${id}" data-part>${content}</div>\n`;
}

export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): readonly Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value ?? ''}">`,
  );
}

interface ConsolePage {
  readonly title: string;
  /** Address of its section in the navigation; undefined if the page belongs to none. */
  readonly section?: string;
  readonly content: Html;
  readonly status?: number;
  /** Address of the stream that updates the page's parts. */
  readonly live?: string | undefined;
}

/** Everything comes from this server, scripts and styles from files of the package. */
const HEADERS = privatePageHeaders(
  contentPolicy({
    'style-src': "'self'",
    'script-src': "'self'",
    'connect-src': "'self'",
    'img-src': "'self' data:",
    'form-action': "'self'",
  }),
);

export function sendPage(response: Response, viewer: PageViewer, page: ConsolePage): void {
  response.status(page.status ?? 200).set(HEADERS);
  response.send(
    pageText(page, viewer, response.req.method === 'GET' ? response.req.originalUrl : (page.section ?? '/')),
  );
}

function pageText(
  { title, section, content, live }: ConsolePage,
  viewer: PageViewer,
  address: string,
): string {
  const { words } = viewer;
  const sections = Object.entries(viewer.sections)
    .filter(([, { action }]) => action === undefined || viewer.may(action))
    .map(([path, { name }]) => navLink(path, words.t(name), section));
  const stream = live === undefined ? NOTHING : html` data-live="${live}"`;
  return htmlDocument({
    language: words.language,
    title: `${title} – ${words.t('Console')}`,
    head: viewer.assets,
    attributes: html`${stream} data-zone="${words.zone}"`,
    body: html`<a class="skip" href="#content">${words.t('Skip to the content')}</a>
<header class="head">
<p class="brand"><a href="/">School Notifications</a>${schoolsText(viewer)}</p>
${searchBox(viewer)}${userPart(viewer)}<nav aria-label="${words.t('Console')}"><ul>${sections}</ul></nav>
</header>
<main id="content">
${content}
</main>
${languageChoice(words.language, address)}`,
  });
}

function navLink(path: string, name: string, section: string | undefined): Html {
  return html`<li><a href="${path}"${path === section ? html` aria-current="page"` : NOTHING}>\
${name}</a></li>`;
}

function schoolsText({ schools: known, words }: PageViewer): Html {
  if (known === undefined || known.schools === 0) return NOTHING;
  const { schools, name } = known;
  return html` <span class="quiet">\
${schools === 1 ? shown(name) : words.t('{n} schools', { n: schools })}</span>`;
}

/** The search box; it is sent with POST, because a phone number must not appear in an address. */
function searchBox({ token, words }: PageViewer): Html {
  return html`<form class="search" role="search" method="post" action="/find">${hiddenFields({ token })}\
<input id="search" name="text" type="search" \
aria-label="${words.t('Search')}" aria-describedby="search-hint" \
placeholder="${words.t('Number, name or id')}" maxlength="200" autocomplete="off" autocapitalize="off" \
spellcheck="false"><span id="search-hint" hidden>\
${words.t(
  'Phone number in any format, name of a student or school, or id of a message, student, class or note. Press / to search.',
)}</span><button class="plain">${words.t('Search')}</button></form>
`;
}

function userPart({ name, role, canLogOut, token, words }: PageViewer): Html {
  if (name === undefined) return NOTHING;
  const logOut = canLogOut
    ? html`<form method="post" action="/logout">${hiddenFields({ token })}<button class="plain">\
${words.t('Log out')}</button></form>`
    : NOTHING;
  return html`<div class="user"><span>${name} (${words.said(role)})</span>${logOut}</div>\n`;
}

/** Shows a page for the fields of its address. */
export type ShowContent = (query: Fields, viewer: PageViewer) => Promise<Html>;

/**
 * Serves a page of the navigation.
 *
 * @param liveOf - returns the address of the stream that updates its parts
 */
export function addPage(
  router: Router,
  users: AdminUsers,
  [path, title]: readonly [path: string, title: Text],
  content: ShowContent,
  liveOf?: (query: Fields) => string,
): void {
  router.get(path, async (request, response) => {
    const query: Fields = request.query;
    const viewer = findViewer(users, response);
    sendPage(response, viewer, {
      title: viewer.words.t(title),
      section: path,
      content: await content(query, viewer),
      live: liveOf?.(query),
    });
  });
}
