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
  readonly #ownHost: string | undefined;

  /**
   * @param allowed origins (`https://portal.example`), `null` for those without one, `*` for all
   * @param publicAddress where callers reach this server, if it does not learn that from requests
   */
  constructor(allowed: readonly string[], publicAddress: string | undefined) {
    this.#isAnyAllowed = allowed.includes('*');
    this.#allowed = new Set(allowed.map((origin) => origin.toLowerCase()));
    this.#ownHost = publicAddress === undefined ? undefined : hostOf(publicAddress);
  }

  /** Whether the request comes from a page that may not send it. */
  sent({ headers }: Request): boolean {
    const site = headers['sec-fetch-site'];
    if ((site === undefined && headers.origin === undefined) || this.#isAnyAllowed) return false;
    // `none` is what a person typed or chose.
    if (site === 'same-origin' || site === 'none') return false;
    if (site === undefined && this.#isOwn(headers)) return false;
    return !this.#allowed.has(originOf(headers).toLowerCase());
  }

  // Browsers that do not send Sec-Fetch-Site. The schemes may differ where a proxy speaks TLS.
  #isOwn({ origin = '', host = '' }: IncomingHttpHeaders): boolean {
    const named = hostOf(origin);
    return named !== undefined && (named === hostOf(`http://${host}`) || named === this.#ownHost);
  }
}

// Images, links and forms that GET come without Origin.
function originOf({ origin, referer }: IncomingHttpHeaders): string {
  if (origin !== undefined) return origin;
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : '';
}

/** Host and port of a URL, without a port that is usual; undefined for what is no URL. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host.replace(/:(?:80|443)$/, '') : undefined;
}
