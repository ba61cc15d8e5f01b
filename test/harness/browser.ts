import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { AxeResults } from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

import { PACKAGE_ROOT } from '../../scripts/harness';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const SCREENSHOTS = join(PACKAGE_ROOT, 'build', 'screenshots');

/**
 * Both schemes and both widths, each pair once: what the rules say of colours depends on the scheme alone, what fits
 * depends on the width alone.
 */
export const SCREENS = [
  ['desktop-light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['phone-dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
] as const;

/** A name that somebody elsewhere has bound to this machine's address. */
export const REBOUND_HOST = 'rebound.example';

/** A block of tests in a browser, in a file that is named `*.browser.test.ts`. */
export function describeInBrowser(name: string, tests: (browser: UsedBrowser) => void): void {
  describe(name, () => {
    tests(useBrowser());
  });
}

/** A browser that lives as long as the tests of its block. */
export interface UsedBrowser {
  /** Opens an empty tab in a fresh profile; it is closed after the test. */
  open(options?: BrowserContextOptions): Promise<VisitedPage>;
  /**
   * The tab that the tests of the block share, one for each set of options: it has shown what it showed, and has
   * noted nothing yet. For tests that only look at pages; a tab of its own costs as much as three of those.
   */
  tab(options?: BrowserContextOptions): Promise<VisitedPage>;
}

/** A tab that notes what should not happen in it. */
export interface VisitedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console, and what scripts threw. */
  readonly complaints: readonly string[];
  /** Everything that the tab asked for. */
  readonly requests: readonly string[];
  /** Shows an empty page and forgets what was noted. */
  clear(): Promise<void>;
}

function useBrowser(): UsedBrowser {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  const shared = new Map<string, Promise<VisitedPage>>();
  beforeAll(async () => {
    if (!existsSync(CHROMIUM))
      throw new Error(`There is no ${CHROMIUM}: install Chromium, or name it in CHROMIUM`);
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--host-resolver-rules=MAP ${REBOUND_HOST} 127.0.0.1`,
      ],
    });
  }, 60_000);
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
  });
  const visit = async (options?: BrowserContextOptions): Promise<VisitedPage> => {
    if (browser === undefined) throw new Error('The browser runs only inside the tests of its block');
    const context = await browser.newContext(options);
    return watch(await context.newPage(), context);
  };
  return {
    open: async (options) => {
      const visited = await visit(options);
      contexts.push(visited.context);
      return visited;
    },
    tab: async (options = {}) => {
      const key = JSON.stringify(options);
      const tab = shared.get(key) ?? visit(options);
      shared.set(key, tab);
      await (await tab).clear();
      return tab;
    },
  };
}

function watch(page: Page, context: BrowserContext): VisitedPage {
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  // Nothing that a test awaits in the page may come any more.
  page.on('pageerror', ({ message }) => {
    complaints.push(message);
    void page.close({ reason: `A script of the page failed: ${message}` });
  });
  page.on('request', (request) => requests.push(request.url()));
  return {
    page,
    context,
    complaints,
    requests,
    clear: async () => {
      await page.goto('about:blank');
      complaints.length = 0;
      requests.length = 0;
    },
  };
}

/**
 * Shows a page on each of the SCREENS, and returns what is wrong there: what is too wide for it, and what the
 * accessibility rules find. The page must be open in a tab of the first screen, and is left so.
 */
export async function problemsOnScreens(page: Page, name: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [screen, { viewport, colorScheme }] of SCREENS.toReversed()) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await takeScreenshot(page, `${name}-${screen}`);
    const excess = await excessOf(page);
    if (excess > 0) problems.push(`${screen}: ${String(excess)} px too wide`);
    problems.push(...(await violationsOf(page)).map((violation) => `${screen}: ${violation}`));
  }
  return problems;
}

/** Returns by how many pixels a page is wider than its window; not positive if it fits. */
export function excessOf(page: Page): Promise<number> {
  // A script redraws in the next frame after the window's size has changed.
  return page.evaluate<number>(
    'new Promise((done) => requestAnimationFrame(() => done(document.documentElement.scrollWidth - innerWidth)))',
  );
}

/** With SCREENSHOTS=true, keeps a picture of a page for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== 'true') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

let axeSource: string | undefined;

/** Returns what the accessibility rules find wrong with a page. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    axeSource ??= readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    // The page's policy would keep a script element out; this runs beside the page.
    await page.evaluate(axeSource);
  }
  // All rules; a path to each element that keeps them is not asked for, since that takes most of the time.
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
