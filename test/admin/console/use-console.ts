import { createServer, type Server } from 'node:http';

import express, { type Router } from 'express';
import { pino } from 'pino';
import { Registry } from 'prom-client';

import { listen, endServer, portOf } from '../../../scripts/harness';
import { type ReloadFailure, readSettings } from '../../../src/config';
import { createConsole, type NodeConsole } from '../../../src/admin/console/console';
import { preflight } from '../../../src/service/preflight';
import { reloadAll } from '../../../src/service/reload';
import { ActionTrail } from '../../../src/admin/login/actions';
import { AdminLogin, type AdminUser, type AdminUsers } from '../../../src/admin/login/admin-login';
import { FEATURES } from '../../../src/features';
import type { Feature } from '../../../src/features/feature';
import type { Store } from '../../../src/store';
import { type EngineName, type TestDatabase, useDatabase } from '../../harness/test-databases';

/** 2026-03-02, a Monday, at 10:00 UTC; the tests begin an hour later, each an hour behind the one before. */
export const NOW = Date.parse('2026-03-02T10:00:00Z');
let hour = NOW;
export const TOKEN = 'token-of-the-page';

/** The console over a database of the block's own, with a clock that stands still until it is moved. */
export interface UsedConsole {
  readonly database: TestDatabase;
  readonly store: Store;
  readonly registry: Registry;
  readonly origin: string;
  /** Every route, such as `POST /find`. */
  readonly routes: readonly string[];
  /** Lines about what users did. */
  readonly recorded: readonly object[];
  now: number;
  name: string;
  role: AdminUser['role'];
  get(path: string): Promise<Page>;
  /** Reloads the files of its settings, as the service does. */
  reload(): readonly ReloadFailure[];
  /** Sends a form; with the page's token unless it names another. */
  post(path: string, fields?: Readonly<Record<string, string>>): Promise<Page>;
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/**
 * Starts the console for the tests of the surrounding block, over a database with the sample school; behind its login
 * where the settings name users.
 *
 * @param examples - features with example content, besides those of the service
 * @param replaced - features in the place of those of the service, by name
 */
export function useConsole(
  engine: EngineName,
  settings: Readonly<Record<string, string>> = {},
  examples: readonly Pick<Feature, 'openConsole'>[] = [],
  replaced: Readonly<Record<string, Feature>> = {},
): UsedConsole {
  const database = useDatabase(engine, { per: 'block', holds: 'sample school' });
  const recorded: object[] = [];
  let registry = new Registry();
  let store: Store | undefined;
  let server: Server | undefined;
  let routes: readonly string[] = [];
  let pages: NodeConsole | undefined;
  const used = { now: NOW, name: 'ayse', role: 'operator' as AdminUser['role'] };
  const users: AdminUsers = {
    userFor: () => ({ name: used.name, role: used.role, canLogOut: true }),
    pageToken: () => TOKEN,
    isPageToken: (_response, token) => token === TOKEN,
    record: (_response, action, fields) => {
      recorded.push({ action, ...fields });
      return Promise.resolve();
    },
  };
  const all = () => ({
    ...{ DATABASE_URL: database.url, DATA_DIR: database.folder, DEFAULT_COUNTRY: 'TR' },
    ...settings,
  });
  beforeAll(async () => {
    store = await database.open();
    registry = new Registry();
    const app = express();
    const read = readSettings(all(), '');
    const features: readonly Feature[] = Object.values({ ...FEATURES, ...replaced });
    const logger = pino({ level: 'silent' });
    const login =
      read.config.ADMIN_USERS_FILE === undefined
        ? undefined
        : new AdminLogin(read.config, logger, new ActionTrail(store, logger));
    if (login !== undefined) app.use(login.gate);
    pages = await createConsole({
      ...{ store, users: login ?? users },
      node: { name: 'node-1:8080', version: '1.2.3', folder: database.folder, metrics: { registry } },
      ...{ settings: read, findings: await preflight(read), logger },
      features: [...features, ...examples],
      now: () => used.now,
      liveEveryMs: 100,
      // A busy machine may count for longer than a page waits.
      soonMs: 60_000,
    });
    app.use(pages.pages);
    routes = routesOf(app.router);
    server = createServer(app);
    await listen(server);
  });
  beforeEach(() => {
    // Ids of messages never run back: each test has an hour of its own.
    hour += 3_600_000;
    Object.assign(used, { now: hour, name: 'ayse', role: 'operator' });
    recorded.length = 0;
  });
  afterAll(async () => {
    await pages?.stop();
    if (server !== undefined) await endServer(server);
  });
  const open = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The console runs only inside the tests of its block');
    return value;
  };
  const origin = (): string => `http://127.0.0.1:${String(portOf(open(server)))}`;
  const ask = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const response = await fetch(origin() + path, { redirect: 'manual', ...init });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return Object.defineProperties(used, {
    database: { value: database },
    recorded: { value: recorded },
    store: { get: () => open(store) },
    registry: { get: () => registry },
    origin: { get: origin },
    routes: { get: () => routes },
    get: { value: (path: string) => ask(path) },
    reload: { value: () => reloadAll(open(pages).reloadables, readSettings(all(), '').config) },
    post: {
      value: (path: string, fields: Readonly<Record<string, string>> = {}) =>
        ask(path, { method: 'POST', body: new URLSearchParams({ token: TOKEN, ...fields }) }),
    },
  }) as typeof used & UsedConsole;
}

/** Lists the routes of a router and of the routers in it, which all are mounted at its root. */
function routesOf({ stack }: Router): readonly string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route !== undefined) return route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`);
    return 'stack' in handle ? routesOf(handle as Router) : [];
  });
}

/** The texts of the cells of the table with a label, row by row, without their markup. */
export function cellsOf(text: string, label: string): readonly (readonly string[])[] {
  const [, rest = ''] = text.split(new RegExp(`<table[^>]* aria-label="${label}">`));
  const [body = ''] = rest.split('</table>');
  return body
    .split('<tr')
    .slice(1)
    .map((row) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
        cell.replace(/<[^>]*>/g, '').trim(),
      ),
    );
}
