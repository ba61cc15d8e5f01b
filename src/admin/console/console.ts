import express, { type ErrorRequestHandler, type Router } from 'express';
import type { Logger } from 'pino';

import { html, type Html } from '../../asmx';
import type { Settings } from '../../config';
import { readQuietHours } from '../../delivery/wording';
import { OperatorError } from '../../support/errors';
import type { Sentence } from '../../support/phrase';
import { FormError } from '../reports/message-filter';
import { readSnapshot } from '../alerts/snapshot';
import { inTime } from '../history/minute-stats';
import { type Node, readNodeFacts } from '../history/nodes';
import { usageCsv } from '../reports/records';
import { type Store, StoreError } from '../../store';
import { USAGE_GROUPS, type UsageGroup } from '../reports/usage-report';
import type { Finding } from '../../support/errors';
import { auditRoutes } from './audit-page';
import { importRoutes } from './import-page';
import type { ConsoleImports } from './imports';
import { assets } from './assets';
import { callersPart, type SchoolContext, schoolPart, schoolsPart } from './schools-page';
import { conditionPart } from './condition';
import { docsPages } from './docs-pages';
import {
  livePart,
  type PageContext,
  rememberContext,
  type Section,
  type PageViewer,
  sendPage,
  findViewer,
  wordsFor,
} from './console-page';
import { statsPart, plotPart, spanLinks, readSpan } from './plots';
import { LiveStreams } from './live';
import { migrationPart, type MigrationSource } from './migration-page';
import { messageRoutes, requireRole, sendCsvFile } from './message-routes';
import { COUNTING, MonthUsage, usagePage, usagePart, usagePlot } from './usage-page';
import { type Fields, fieldText } from './message-address';
import { RecentReader } from './recent-part';
import { requestsPart } from './requests-page';
import { settingsPart } from './settings-page';
import { type Language, languageFor, type Text, Words } from '../texts/words';
import type { AdminUsers } from '../login/admin-login';

const CONDITION_PART = 'condition';
const STATS_PART = 'stats';
const USAGE_PART = 'usage';
const LIVE_EVERY_MS = 5000;
/** Number of live updates for each update of the stats, which change every ten seconds; long ranges change less. */
const STATS_SELDOM = { '1h': 2, '24h': 6, '30d': 6 } as const;
/** Number of live updates for each update of the usage of a month. */
const USAGE_SELDOM = 6;
const NO_SUCH_PAGE = 'Page not found. It may have been removed.';

interface ConsoleParts {
  readonly store: Store;
  readonly settings: Settings;
  /** Findings about the settings, from the start: settings do not change while the service runs. */
  readonly findings: readonly Finding[];
  readonly node: Node;
  readonly users: AdminUsers;
  readonly imports: ConsoleImports;
  /** Undefined without an old server. */
  readonly migration?: MigrationSource | undefined;
  readonly logger: Logger;
  readonly now?: () => number;
  /** Interval at which an open page is checked for changes, in milliseconds. */
  readonly liveEveryMs?: number;
  /** Time for which a page waits for the usage of a month, in milliseconds. */
  readonly soonMs?: number;
}

/** Creates the console's pages, to be mounted behind the login. */
export function createConsole({
  store,
  settings,
  findings,
  node,
  users,
  imports,
  migration,
  logger,
  now = Date.now,
  liveEveryMs = LIVE_EVERY_MS,
  soonMs,
}: ConsoleParts): Router {
  const { config } = settings;
  const texts = new Map<Language, Words>();
  const live = new LiveStreams();
  const usage = new MonthUsage(store, config, now, soonMs);
  const router = express.Router();
  router.use(assets(logger));
  const schoolsOf = rememberSchools(store, now);
  router.use(async (request, response, next) => {
    const language = languageFor(request.headers);
    const words = texts.get(language) ?? new Words(language, config.TIME_ZONE);
    texts.set(language, words);
    rememberContext(response, { words, schools: await schoolsOf(), hasMigration: migration !== undefined });
    next();
  });
  router.use(docsPages(users));
  const reader = new RecentReader(store.deliveries, liveEveryMs);
  const recent = (moment: number) => inTime(reader.read(moment));
  router.use(
    messageRoutes({ store, country: config.DEFAULT_COUNTRY, users, live, liveEveryMs, now, recent }),
  );

  const page = (
    path: Section,
    title: Text,
    content: (query: Fields, viewer: PageViewer) => Promise<Html>,
    liveOf?: (query: Fields) => string,
  ) => {
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
  };

  const condition = async (viewer: PageViewer): Promise<Html> => {
    const moment = now();
    const [snapshot, messages] = await Promise.all([
      readSnapshot(store, node, { findings, config }, moment),
      recent(moment),
    ]);
    return conditionPart(snapshot, messages, viewer);
  };
  const stats = (query: Fields, words: Words) => statsPart(store, readSpan(query['span']), words, now());
  page(
    '/',
    'Overview',
    async (query, viewer) => {
      const { words } = viewer;
      const [state, plots] = await Promise.all([condition(viewer), ifAnswered(stats(query, words), words)]);
      return html`<h1>${words.t('Overview')}</h1>
${livePart(CONDITION_PART, state)}<h2>${words.t('Activity')}</h2>
${spanLinks(readSpan(query['span']), words)}${livePart(STATS_PART, plots)}`;
    },
    (query) => `/live?span=${readSpan(query['span'])}`,
  );
  router.get('/live', (request, response) =>
    live.serve(request, response, [
      {
        id: CONDITION_PART,
        everyMs: liveEveryMs,
        render: () => condition(findViewer(users, response)),
      },
      {
        id: STATS_PART,
        everyMs: liveEveryMs * STATS_SELDOM[readSpan(request.query['span'])],
        render: () => stats(request.query, wordsFor(response)),
      },
    ]),
  );

  page('/requests', 'Requests', (query, { words }) => requestsPart(store, query, words, now()));

  const schools = async (words: Words): Promise<SchoolContext> => {
    const counted = await usage.soon(usage.monthOf(now()), 'school');
    const byName = counted && new Map(counted.lines.map((line) => [line.name, line]));
    return { notBefore: readQuietHours(config), usage: byName, words, now: now() };
  };
  page('/schools', 'Schools', async ({ after }, { words, may }) =>
    schoolsPart(store, fieldText(after) ?? '', await schools(words), may('import')),
  );
  router.use(importRoutes({ store, imports, users, live, liveEveryMs }));
  router.get('/schools/school', async (request, response, next) => {
    const url = fieldText(request.query['url']) ?? '';
    const viewer = findViewer(users, response);
    const content = await schoolPart(store, url, await schools(viewer.words));
    if (content === undefined) next();
    else sendPage(response, viewer, { title: viewer.words.t('School'), section: '/schools', content });
  });

  const usageHead = (query: Fields) => {
    const thisMonth = usage.monthOf(now());
    const asked = fieldText(query['month']) ?? thisMonth;
    const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) && asked <= thisMonth ? asked : thisMonth;
    const by: UsageGroup = USAGE_GROUPS.find((group) => group === query['by']) ?? 'channel';
    return { head: { month, by, timeZone: config.TIME_ZONE }, thisMonth };
  };
  const monthPart = async (query: Fields, words: Words, read: 'soon' | 'report'): Promise<Html> => {
    const { head } = usageHead(query);
    const [found, days] = await Promise.all(
      [head.by, 'day' as const].map((by) => usage[read](head.month, by)),
    );
    if (found === undefined || days === undefined) return html`<p class="quiet">${words.t(COUNTING)}</p>\n`;
    const plot = usagePlot(days, head.month, usage.calendar.dayOf(now()), usage.calendar, words);
    return usagePart(found, head, plotPart(plot, words), words);
  };
  page(
    '/usage',
    'Usage',
    async (query, { words }) => {
      const { head, thisMonth } = usageHead(query);
      const month = livePart(USAGE_PART, await monthPart(query, words, 'soon'));
      return usagePage(head, thisMonth, month, words);
    },
    (query) => {
      const { month, by } = usageHead(query).head;
      return `/live/usage?${new URLSearchParams({ month, by }).toString()}`;
    },
  );
  router.get('/live/usage', (request, response) =>
    live.serve(request, response, [
      {
        id: USAGE_PART,
        everyMs: liveEveryMs * USAGE_SELDOM,
        render: () => monthPart(request.query, wordsFor(response), 'report'),
      },
    ]),
  );
  router.get('/usage.csv', requireRole(users, 'export'), async (request, response) => {
    const { head } = usageHead(request.query);
    const found = await usage.report(head.month, head.by);
    await users.audit(response, 'export', { what: 'usage', month: head.month });
    sendCsvFile(response, `usage-${head.month}.csv`, usageCsv(found, head));
  });

  router.use(auditRoutes(store, users, usage.calendar));
  page('/callers', 'Callers', (_query, { words }) => callersPart(store, words, now()));
  page('/settings', 'Settings', (_query, { words }) => settingsPart(settings, findings, words));

  if (migration !== undefined) {
    page('/migration', 'Migration', async (_query, { words }) => {
      const { oldServerAnswers } = await readNodeFacts(node);
      return migrationPart(store, migration, oldServerAnswers, words, now());
    });
  }

  router.use((request, response, next) => {
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
  });
  const failed: ErrorRequestHandler = (error: unknown, _request, response, next) => {
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
  router.use(failed);
  return router;
}

function errorForPage(error: unknown): { readonly status: number; readonly text: Sentence } {
  if (error instanceof StoreError) {
    return { status: 503, text: { text: 'Database error: {error}', values: { error: error.message } } };
  }
  if (error instanceof FormError) return { status: 400, text: error.sentence };
  if (error instanceof OperatorError) return { status: 400, text: error.message };
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
