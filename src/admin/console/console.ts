import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import type { Logger } from 'pino';

import { html, type Html, NOTHING } from '../../support/html';
import type { Reloadable, Settings } from '../../config';
import { ALL_FEATURES, type Feature, FEATURE_HELP } from '../../features/feature';
import { type Finding, OperatorError } from '../../support/errors';
import type { Sentence } from '../../support/phrase';
import { ANY_AGE, FormError } from '../reports/message-filter';
import { readSnapshot } from '../alerts/snapshot';
import { inTime } from '../history/minute-stats';
import type { Node } from '../history/nodes';
import { type RecentMessages, type Store, StoreError } from '../../store';
import { assetLinks, assets, OWN_ASSETS } from './assets';
import { callersPart, type SchoolContext, schoolPart, schoolsPart } from './schools-page';
import { conditionPart } from './condition';
import type { ConsoleCore, ConsolePart } from './console-part';
import {
  addPage,
  livePart,
  type PageContext,
  rememberContext,
  type ShowContent,
  type PageViewer,
  sendPage,
  findViewer,
  wordsFor,
} from './console-page';
import { LiveStreams } from './live';
import { messageRoutes } from './message-routes';
import { fieldText, queryText } from './message-address';
import { RECORD_KINDS } from './record-address';
import { RecentReader } from './recent-part';
import { requestsPart } from './requests-page';
import { settingsPart } from './settings-page';
import { type Language, languageFor, type Text, Words } from '../texts/words';
import type { AdminUsers } from '../login/admin-login';

const CONDITION_PART = 'condition';
const LIVE_EVERY_MS = 5000;
const SOON_MS = 100;
const NO_SUCH_PAGE = 'Page not found. It may have been removed.';

interface ConsoleOptions {
  readonly store: Store;
  readonly settings: Settings;
  /** Findings about the settings, from the start: settings do not change while the service runs. */
  readonly findings: readonly Finding[];
  readonly node: Node;
  readonly users: AdminUsers;
  readonly logger: Logger;
  readonly now?: () => number;
  /** Interval at which an open page is checked for changes, in milliseconds. */
  readonly liveEveryMs?: number;
  /** Time for which a page waits for what takes long to count, in milliseconds. */
  readonly soonMs?: number;
  /** Features that add parts; default: all. */
  readonly features?: readonly Pick<Feature, 'openConsole'>[];
}

/** The console of a node. */
export interface NodeConsole {
  /** Pages, to be mounted behind the login. */
  readonly pages: Router;
  readonly reloadables: readonly Reloadable[];
  /** Starts what runs without a viewer. */
  start(): void;
  stop(): Promise<void>;
}

/** The options with what all pages share. */
interface SharedByPages extends ConsoleCore, Omit<ConsoleOptions, keyof ConsoleCore> {
  /** Reads what became of the last messages; undefined while the store does not answer. */
  readonly recent: (moment: number) => Promise<RecentMessages | undefined>;
  readonly parts: readonly ConsolePart[];
}

/** Creates the console with the parts that features add to it. */
export async function createConsole(options: ConsoleOptions): Promise<NodeConsole> {
  const { store, users, logger, settings, node, now = Date.now } = options;
  const { config } = settings;
  const { liveEveryMs = LIVE_EVERY_MS, soonMs = SOON_MS, features = ALL_FEATURES } = options;
  const core: ConsoleCore = {
    ...{ store, config, users, logger, node, now },
    ...{ live: new LiveStreams(), liveEveryMs, soonMs },
  };
  const parts = await Promise.all(
    features.flatMap(({ openConsole }) => (openConsole === undefined ? [] : [openConsole(core)])),
  );
  const files = Object.assign({ ...OWN_ASSETS }, ...parts.map((part) => part.assets)) as typeof OWN_ASSETS;
  const reader = new RecentReader(store.deliveries, liveEveryMs);
  const pages: SharedByPages = {
    ...options,
    ...core,
    parts,
    recent: (moment) => inTime(reader.read(moment)),
  };
  const router = express.Router();
  router.use(assets(files, logger));
  router.use(contextOfPages(pages, assetLinks(files)));
  router.use(messageRoutes({ ...pages, country: config.DEFAULT_COUNTRY }));
  router.use(overviewRoutes(pages));
  router.use(schoolRoutes(pages));
  for (const { routes } of parts) if (routes !== undefined) router.use(routes);
  router.use(recordRoutes());
  router.use(otherRoutes(pages));
  router.use(notFound(users));
  router.use(failed(users, logger));
  return {
    pages: router,
    reloadables: parts.flatMap(({ reloadables = [] }) => reloadables),
    start: () => {
      for (const { start } of parts) start?.();
    },
    stop: async () => {
      for (const { stop } of parts) await stop?.();
    },
  };
}

function navigation({ parts }: SharedByPages): PageContext['sections'] {
  const open: Readonly<Record<string, Text>> = {
    '/': 'Overview',
    '/messages': 'Messages',
    '/requests': 'Requests',
    '/schools': 'Schools',
    ...(Object.assign({}, ...parts.map(({ sections }) => sections)) as Record<string, Text>),
    '/callers': 'Callers',
    '/settings': 'Settings',
  };
  return {
    ...Object.fromEntries(Object.entries(open).map(([path, name]) => [path, { name }])),
    ...(Object.assign({}, ...parts.map(({ restricted }) => restricted)) as PageContext['sections']),
    ...(FEATURE_HELP !== undefined && { [FEATURE_HELP]: { name: 'Help' as const } }),
  };
}

/** Finds out for each request what every page shows. */
function contextOfPages(pages: SharedByPages, links: PageContext['assets']): RequestHandler {
  const { store, config, now } = pages;
  const sections = navigation(pages);
  const texts = new Map<Language, Words>();
  const schoolsOf = rememberSchools(store, now);
  return async (request, response, next) => {
    const language = languageFor(request.headers);
    const words = texts.get(language) ?? new Words(language, config.TIME_ZONE);
    texts.set(language, words);
    rememberContext(response, { words, schools: await schoolsOf(), sections, assets: links });
    next();
  };
}

/** Serves the overview, with the parts that features add to it. */
function overviewRoutes(pages: SharedByPages): Router {
  const { store, settings, findings, node, users, live, liveEveryMs, now, recent } = pages;
  const parts = pages.parts.flatMap(({ overview }) => overview ?? []);
  const router = express.Router();
  const condition = async (viewer: PageViewer): Promise<Html> => {
    const moment = now();
    const [snapshot, messages] = await Promise.all([
      readSnapshot(store, node, { findings, config: settings.config }, moment),
      recent(moment),
    ]);
    return conditionPart(snapshot, messages, viewer);
  };
  const overview: ShowContent = async (query, viewer) => {
    const { words } = viewer;
    const [state, ...contents] = await Promise.all([
      condition(viewer),
      ...parts.map((part) => ifAnswered(part.content(query, words), words)),
    ]);
    return html`<h1>${words.t('Overview')}</h1>
${livePart(CONDITION_PART, state)}${parts.map(
      ({ id, title, head }, at) =>
        html`<h2>${words.t(title)}</h2>\n${head(query, words)}${livePart(id, contents[at] ?? html``)}`,
    )}`;
  };
  addPage(router, users, ['/', 'Overview'], overview, (query) => {
    const fields = Object.assign({}, ...parts.map(({ liveQuery }) => liveQuery(query))) as Record<
      string,
      string
    >;
    return `/live?${new URLSearchParams(fields).toString()}`;
  });
  router.get('/live', (request, response) =>
    live.serve(request, response, [
      {
        id: CONDITION_PART,
        everyMs: liveEveryMs,
        render: () => condition(findViewer(users, response)),
      },
      ...parts.map(({ id, everyMs, content }) => ({
        id,
        everyMs: everyMs(request.query),
        render: () => content(request.query, wordsFor(response)),
      })),
    ]),
  );
  return router;
}

/** Serves the list of schools and a page for each. */
function schoolRoutes({ store, users, now, parts }: SharedByPages): Router {
  const router = express.Router();
  const contextFor = async (words: Words): Promise<SchoolContext> => ({
    facts: await Promise.all(parts.flatMap(({ schoolFact }) => schoolFact?.(words) ?? [])),
    words,
    now: now(),
  });
  addPage(router, users, ['/schools', 'Schools'], async ({ after }, viewer) =>
    schoolsPart(store, fieldText(after) ?? '', await contextFor(viewer.words), {
      above: parts.map(({ aboveSchools }) => aboveSchools?.(viewer) ?? NOTHING),
      below: await Promise.all(parts.flatMap(({ belowSchools }) => belowSchools?.(viewer.words) ?? [])),
    }),
  );
  router.get('/schools/school', async (request, response, next) => {
    const url = fieldText(request.query['url']) ?? '';
    const viewer = findViewer(users, response);
    const content = await schoolPart(store, url, await contextFor(viewer.words));
    if (content === undefined) next();
    else sendPage(response, viewer, { title: viewer.words.t('School'), section: '/schools', content });
  });
  return router;
}

/**
 * Shows the messages of what has no page: of records that are not imported, and of all without the feature.
 */
function recordRoutes(): Router {
  const router = express.Router();
  router.get('/schools/school', (request, response, next) => {
    const school = fieldText(request.query['url']);
    if (school === undefined) next();
    else response.redirect(303, `/messages${queryText({ school, 'newer-than': ANY_AGE })}`);
  });
  for (const kind of RECORD_KINDS) {
    router.get(`/schools/${kind}`, (request, response, next) => {
      const [school, id] = [request.query['school'], request.query['id']].map(fieldText);
      if (id === undefined) next();
      else response.redirect(303, `/messages${queryText({ school, [kind]: id, 'newer-than': ANY_AGE })}`);
    });
  }
  router.get('/callers/caller', (_request, response) => {
    response.redirect(303, '/callers');
  });
  return router;
}

function otherRoutes({ store, settings, findings, users, now }: SharedByPages): Router {
  const router = express.Router();
  addPage(router, users, ['/requests', 'Requests'], (query, { words }) =>
    requestsPart(store, query, words, now()),
  );
  addPage(router, users, ['/callers', 'Callers'], (_query, { words }) => callersPart(store, words, now()));
  addPage(router, users, ['/settings', 'Settings'], (_query, { words }) =>
    settingsPart(settings, findings, words),
  );
  return router;
}

function notFound(users: AdminUsers): RequestHandler {
  return (request, response, next) => {
    if (request.path === '/metrics') {
      next();
      return;
    }
    const viewer = findViewer(users, response);
    sendPage(response, viewer, {
      title: viewer.words.t('Not found'),
      status: 404,
      content: html`<h1>${viewer.words.t('Not found')}</h1>\n<p>${viewer.words.t(NO_SUCH_PAGE)}</p>`,
    });
  };
}

function failed(users: AdminUsers, logger: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, text } = errorForPage(error);
    if (status === 500) logger.error({ err: error }, 'console page failed');
    const viewer = findViewer(users, response);
    sendPage(response, viewer, {
      title: viewer.words.t('Error'),
      status,
      content: html`<h1>${viewer.words.t('Error')}</h1>\n<p role="alert">${viewer.words.said(text)}</p>`,
    });
  };
}

function errorForPage(error: unknown): { readonly status: number; readonly text: Sentence<Text> } {
  if (error instanceof StoreError) {
    return { status: 503, text: { text: 'Database error: {error}', values: { error: error.message } } };
  }
  if (error instanceof FormError) return { status: 400, text: error.sentence };
  if (error instanceof OperatorError) return { status: 400, text: { line: error.message } };
  // Errors of the form parser have a status of their own.
  const status = typeof error === 'object' && error !== null ? Number(Reflect.get(error, 'status')) : 500;
  if (status >= 400 && status < 500) return { status, text: 'Invalid request.' };
  return { status: 500, text: 'Internal error. See the service’s log.' };
}

const SCHOOLS_FRESH_MS = 60_000;

/** Returns a function that reads the schools for every page's head; it queries the store once a minute. */
function rememberSchools(
  { schools }: Pick<Store, 'schools'>,
  now: () => number,
): () => Promise<PageContext['schools']> {
  let last: PageContext['schools'];
  let until = 0;
  return async () => {
    if (now() < until) return last;
    until = now() + SCHOOLS_FRESH_MS;
    last = (await inTime(schools.overview())) ?? last;
    return last;
  };
}

/** Shows the rest of the page while the store does not answer. */
async function ifAnswered(content: Promise<Html>, words: Words): Promise<Html> {
  try {
    return await content;
  } catch (error) {
    if (error instanceof StoreError)
      return html`<p class="quiet">${words.t('Unknown: the database is not responding.')}</p>`;
    throw error;
  }
}
