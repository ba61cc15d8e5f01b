import { isIP } from 'node:net';
import type { Request } from 'express';

import { readForwardedRequest } from './forwarded-request';
import { AllowedHosts, parsePublicAddress, splitAuthority } from './public-address';

/**
 * The host names that nobody else can give this server: addresses, localhost, those that the operator names, and
 * what a trusted proxy says. A page elsewhere can make a name of its own lead here, and read what it then gets.
 */
export class KnownHosts {
  readonly #named: AllowedHosts;

  /**
   * @param hosts as for {@link AllowedHosts}
   * @param publicAddress URL whose host is one of them, or undefined
   */
  constructor(hosts: readonly string[], publicAddress: string | undefined) {
    const own =
      publicAddress === undefined ? [] : [splitAuthority(parsePublicAddress(publicAddress).authority)[0]];
    this.#named = new AllowedHosts(['localhost', '*.localhost', ...hosts, ...own]);
  }

  /** Whether a request came under one of them. One without any host was sent by no browser. */
  has(request: Request): boolean {
    return this.names(request) || readForwardedRequest(request)?.host !== undefined;
  }

  /** The same by what the request itself says: a page that leads here from elsewhere can say what a proxy says. */
  names({ headers: { host } }: Request): boolean {
    if (host === undefined) return true;
    const [name] = splitAuthority(host);
    return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || this.#named.has(host);
  }
}
