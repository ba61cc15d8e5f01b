import { type HttpResponse, readRequestPath } from './http';
import type { Endpoint } from './endpoint';
import { dangerousPathPage } from './documents';
import type { ServedOperation } from './results';

/** Where a path leads. */
export interface Route {
  readonly endpoint: Endpoint;
  /** The endpoint's path as requested. */
  readonly path: string;
  /** What follows it: empty, or with its slash. */
  readonly pathInfo: string;
  readonly operation: ServedOperation | undefined;
}

/** Finds what a path leads to, as Windows and ASP.NET find it (wire contract, section 1). */
export class Routes {
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  /** The paths as they are meant to be written, so that a good request costs one look-up. */
  readonly #written: ReadonlyMap<string, Route>;

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.contract.path.toLowerCase(), endpoint]));
    this.#written = new Map(endpoints.flatMap(writtenRoutes));
  }

  /**
   * @param path as requested, without the query
   * @returns an answer where the path is refused, undefined where it leads to none of the endpoints
   */
  find(path: string): Route | HttpResponse | undefined {
    return this.#written.get(path) ?? this.#resolve(path);
  }

  #resolve(path: string): Route | HttpResponse | undefined {
    const read = readRequestPath(path);
    if (read === undefined) return undefined;
    const endpoint = this.#endpoints.get(read.path.toLowerCase());
    if (endpoint === undefined) return undefined;
    if (read.isDangerous) return dangerousPathPage;
    const operation = endpoint.operations.get(read.pathInfo.slice(1));
    return { endpoint, path: read.path, pathInfo: read.pathInfo, operation };
  }
}

function writtenRoutes(endpoint: Endpoint): [string, Route][] {
  const { path } = endpoint.contract;
  return [
    [path, { endpoint, path, pathInfo: '', operation: undefined }],
    ...[...endpoint.operations].map(([name, operation]): [string, Route] => [
      `${path}/${name}`,
      { endpoint, path, pathInfo: `/${name}`, operation },
    ]),
  ];
}
