import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';

/**
 * The pages whose scripts, forms and images may call operations. A browser inside the network does whatever a page
 * from anywhere asks of it; it says which page that was, in headers that no page can write. Other clients send none
 * of them.
 */
export class ForeignPages {
  readonly #isAnyAllowed: boolean;
  readonly #allowed: ReadonlySet<string>;
  readonly #patterns: readonly OriginPattern[];
  readonly #ownHost: string | undefined;

  /**
   * @param allowed origins (`https://portal.example`), `https://*.portal.example` for all below that one, `null` for
   *   pages without one, `*` for all
   * @param publicAddress where callers reach this server, if it does not learn that from requests
   */
  constructor(allowed: readonly string[], publicAddress: string | undefined) {
    this.#isAnyAllowed = allowed.includes('*');
    const isPattern = (origin: string): boolean => origin.includes('://*.');
    this.#allowed = new Set(allowed.filter((origin) => !isPattern(origin)).map(serialized));
    this.#patterns = allowed.filter(isPattern).map(patternOf);
    this.#ownHost = publicAddress === undefined ? undefined : hostOf(publicAddress);
  }

  /** Whether the request comes from a page that may not send it. */
  sent({ headers }: Request): boolean {
    const site = headers['sec-fetch-site'];
    if ((site === undefined && headers.origin === undefined) || this.#isAnyAllowed) return false;
    // `none` is what a person typed or chose.
    if (site === 'same-origin' || site === 'none') return false;
    if (site === undefined && this.#isOwn(headers)) return false;
    return !this.#mayCall(originOf(headers));
  }

  /**
   * The headers by which a browser lets an allowed page read the answer (the Fetch standard's CORS protocol), names and
   * values in turn; none for other pages, and where no page is allowed. Cookies and passwords of the browser stay out.
   */
  readable({ headers: { origin } }: Request): readonly string[] {
    if (this.#isAnyAllowed) return ANY_MAY_READ;
    if (this.#allowed.size === 0 && this.#patterns.length === 0) return NOTHING;
    // Caches must not give one page the answer for another.
    if (origin === undefined || !this.#mayCall(origin)) return VARY;
    return ['Access-Control-Allow-Origin', origin, ...VARY];
  }

  /** What a browser may send that asks before a call of an allowed page, as it does before SOAP; else undefined. */
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

  // Browsers that do not send Sec-Fetch-Site. The schemes may differ where a proxy speaks TLS.
  #isOwn({ origin = '', host = '' }: IncomingHttpHeaders): boolean {
    const named = hostOf(origin);
    return named !== undefined && (named === hostOf(`http://${host}`) || named === this.#ownHost);
  }
}

const NOTHING: readonly string[] = [];
const VARY = ['Vary', 'Origin'] as const;
const ANY_MAY_READ = ['Access-Control-Allow-Origin', '*'] as const;
const PREFLIGHT = [
  ...['Access-Control-Allow-Methods', 'GET, POST'],
  ...['Access-Control-Allow-Headers', 'Content-Type, SOAPAction'],
  // In seconds: browsers keep it no longer than two hours.
  ...['Access-Control-Max-Age', '7200'],
] as const;

/** An origin as browsers write it: in lower case, names in ASCII, without a port that is usual. */
function serialized(origin: string): string {
  const isWeb = /^https?:\/\//i.test(origin) && URL.canParse(origin);
  return isWeb ? new URL(origin).origin : origin.toLowerCase();
}

/** What stands around the asterisk of an origin. */
interface OriginPattern {
  readonly before: string;
  readonly after: string;
}

function patternOf(origin: string): OriginPattern {
  const [before = '', after = ''] = serialized(origin.replace('://*.', `://${STAND_IN}.`)).split(STAND_IN);
  return { before, after };
}

/** One name or several stand for the asterisk. */
function fits({ before, after }: OriginPattern, origin: string): boolean {
  if (!origin.startsWith(before) || !origin.endsWith(after)) return false;
  const names = origin.slice(before.length, -after.length).split('.');
  return names.every((name) => /^[a-z0-9_-]+$/.test(name));
}

const STAND_IN = 'asterisk-of-an-origin';

// Images, links and forms that GET come without Origin.
function originOf({ origin, referer }: IncomingHttpHeaders): string {
  if (origin !== undefined) return origin;
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : '';
}

/** Host and port of a URL, without a port that is usual; undefined for what is no URL. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host.replace(/:(?:80|443)$/, '') : undefined;
}
