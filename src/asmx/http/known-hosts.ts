import { isIP } from 'node:net';

import type { Request } from 'express';

import { readForwardedRequest } from './forwarded-request';
import { parsePublicAddress, splitAuthority } from './public-address';

/**
 * Returns true for a request with two Host headers: a proxy in between may have checked the other one (RFC
 * 9112, section 3.2). Node keeps the first.
 */
export function namesTwoHosts({ rawHeaders }: Request): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  /** @param hosts names and addresses without a port; `*.school.example` matches every name below that one */
  constructor(hosts: readonly string[]) {
    const lower = hosts.map((host) => host.toLowerCase());
    this.#names = new Set(lower.filter((host) => !host.startsWith('*.')));
    this.#suffixes = lower.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  }

  /** @param authority host as in a Host header, with or without its port */
  has(authority: string): boolean {
    const name = splitAuthority(authority)[0].toLowerCase().replace(/\.$/, '');
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix) && isName(name));
  }
}

function isName(text: string): boolean {
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(text);
}

/**
 * Host names that an outsider cannot point at this server: addresses, localhost, names in the configuration,
 * and names from a trusted proxy. A foreign page can make a name of its own resolve to this server and then
 * read its answers (DNS rebinding).
 */
export class KnownHosts {
  readonly #named: AllowedHosts;

  /**
   * @param hosts as for {@link AllowedHosts}
   * @param publicAddress URL whose host is added, or undefined
   */
  constructor(hosts: readonly string[], publicAddress: string | undefined) {
    const own =
      publicAddress === undefined ? [] : [splitAuthority(parsePublicAddress(publicAddress).authority)[0]];
    this.#named = new AllowedHosts(['localhost', '*.localhost', ...hosts, ...own]);
  }

  /** Returns true for a request under a known host. A request without any host was not sent by a browser. */
  has(request: Request): boolean {
    return this.names(request) || readForwardedRequest(request)?.host !== undefined;
  }

  /** Checks the request's own Host header only: a foreign page can forge a proxy's headers. */
  names({ headers: { host } }: Request): boolean {
    if (host === undefined) return true;
    const [name] = splitAuthority(host);
    return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || this.#named.has(host);
  }
}
