import { splitAuthority } from './public-address';

/** The host names under which this server may be addressed. */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  /** @param hosts names and addresses without a port; `*.school.example` stands for every name below that one */
  constructor(hosts: readonly string[]) {
    const lower = hosts.map((host) => host.toLowerCase());
    this.#names = new Set(lower.filter((host) => !host.startsWith('*.')));
    this.#suffixes = lower.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  }

  /** @param authority a host as in a Host header, with or without its port */
  has(authority: string): boolean {
    const name = splitAuthority(authority)[0].toLowerCase().replace(/\.$/, '');
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix) && isName(name));
  }
}

function isName(text: string): boolean {
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(text);
}
