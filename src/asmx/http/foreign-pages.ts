import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';

/**
 * Decides which web pages may have a browser call operations. A browser inside the network sends whatever
 * requests a page from anywhere makes; headers that no page can forge name that page. Other clients send none
 * of these headers.
 */
export class ForeignPages {
  readonly #isAnyAllowed: boolean;
  readonly #allowed: ReadonlySet<string>;
  readonly #patterns: readonly OriginPattern[];
  readonly #ownHost: string | undefined;

  /**
   * @param allowed origins (`https://portal.example`), `https://*.portal.example` for all below that one,
   * `null` for pages without an origin, `*` for all
   * @param publicAddress address under which callers reach this server, unless it is learnt from requests
   */
  constructor(allowed: readonly string[], publicAddress: string | undefined) {
    this.#isAnyAllowed = allowed.includes('*');
    const isPattern = (origin: string): boolean => origin.includes('://*.');
    this.#allowed = new Set(allowed.filter((origin) => !isPattern(origin)).map(serialized));
    this.#patterns = allowed.filter(isPattern).map(toPattern);
    this.#ownHost = publicAddress === undefined ? undefined : readHost(publicAddress);
  }

  /** Returns true for a request from a page that may not send it. */
  sent({ headers }: Request): boolean {
    const site = headers['sec-fetch-site'];
    if ((site === undefined && headers.origin === undefined) || this.#isAnyAllowed) return false;
    // The browser sends `none` for an address that the user typed or bookmarked.
    if (site === 'same-origin' || site === 'none') return false;
    if (site === undefined && this.#isOwn(headers)) return false;
    return !this.#mayCall(readOrigin(headers));
  }

  /**
   * Returns the CORS headers (Fetch standard) that let an allowed page read the answer, names and values
   * alternating; only `Vary` for other pages, and nothing if no page is allowed. Cookies and passwords of the
   * browser are never included.
   */
  readable({ headers: { origin } }: Request): readonly string[] {
    if (this.#isAnyAllowed) return ANY_MAY_READ;
    if (this.#allowed.size === 0 && this.#patterns.length === 0) return NOTHING;
    // Caches must not serve one page the answer for another.
    if (origin === undefined || !this.#mayCall(origin)) return VARY;
    return ['Access-Control-Allow-Origin', origin, ...VARY];
  }

  /**
   * Returns the headers of the answer to an allowed page's preflight request, which browsers send before SOAP
   * calls; undefined for any other request.
   */
  preflight(request: Request): readonly string[] | undefined {
    const { method, headers } = request;
    const isAsked =
      method === 'OPTIONS' &&
      headers.origin !== undefined &&
      headers['access-control-request-method'] !== undefined;
    if (!isAsked || !(this.#isAnyAllowed || this.#mayCall(headers.origin ?? ''))) return undefined;
    return PREFLIGHT;
  }

  #mayCall(origin: string): boolean {
    const lower = origin.toLowerCase();
    return this.#allowed.has(lower) || this.#patterns.some((pattern) => fits(pattern, lower));
  }

  // For browsers without Sec-Fetch-Site. The schemes may differ behind a proxy that handles TLS.
  #isOwn({ origin = '', host = '' }: IncomingHttpHeaders): boolean {
    const named = readHost(origin);
    return named !== undefined && (named === readHost(`http://${host}`) || named === this.#ownHost);
  }
}

const NOTHING: readonly string[] = [];
const VARY = ['Vary', 'Origin'] as const;
const ANY_MAY_READ = ['Access-Control-Allow-Origin', '*'] as const;
const PREFLIGHT = [
  ...['Access-Control-Allow-Methods', 'GET, POST'],
  ...['Access-Control-Allow-Headers', 'Content-Type, SOAPAction'],
  // In seconds; browsers cache it for two hours at most.
  ...['Access-Control-Max-Age', '7200'],
] as const;

/** Serializes an origin as browsers do: in lower case, names in ASCII, without a default port. */
function serialized(origin: string): string {
  const isWeb = /^https?:\/\//i.test(origin) && URL.canParse(origin);
  return isWeb ? new URL(origin).origin : origin.toLowerCase();
}

/** Parts of an origin before and after the asterisk. */
interface OriginPattern {
  readonly before: string;
  readonly after: string;
}

function toPattern(origin: string): OriginPattern {
  const [before = '', after = ''] = serialized(origin.replace('://*.', `://${STAND_IN}.`)).split(STAND_IN);
  return { before, after };
}

/** Matches an origin; the asterisk matches one or more labels. */
function fits({ before, after }: OriginPattern, origin: string): boolean {
  if (!origin.startsWith(before) || !origin.endsWith(after)) return false;
  const names = origin.slice(before.length, -after.length).split('.');
  return names.every((name) => /^[a-z0-9_-]+$/.test(name));
}

const STAND_IN = 'asterisk-of-an-origin';

// Image, link and GET form requests have no Origin header.
function readOrigin({ origin, referer }: IncomingHttpHeaders): string {
  if (origin !== undefined) return origin;
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : '';
}

/** Returns host and port of a URL, without a default port; undefined for an invalid URL. */
function readHost(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host.replace(/:(?:80|443)$/, '') : undefined;
}
