interface EndpointPath {
  /** The endpoint's path in the caller's spelling. */
  readonly path: string;
  /** Decoded rest of the path: empty, a bare slash, or a slash and the operation's name. */
  readonly pathInfo: string;
  /** True for a character that ASP.NET considers dangerous; the path is then not examined further. */
  readonly isDangerous: boolean;
}

// ASP.NET's requestPathInvalidCharacters.
const DANGEROUS = /[<>*%&:\\?]/;
const ENDPOINT = /^(\/[^/]+\.asmx)(\/.*)?$/is;

/**
 * Returns the path and query of a request target. A target in absolute form (RFC 9112, section 3.2.2), as
 * sent to proxies, may name a host; the Host header is used instead.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  // Other forms, including `*`, stay unchanged.
  if (rest === target) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Parses a request path as IIS and ASP.NET do: escapes are decoded, runs of slashes count as one, dot
 * segments are resolved.
 *
 * @param path raw path, without the query; absolute-form targets are allowed
 * @returns undefined for a path that is not an endpoint's
 */
export function readRequestPath(path: string): EndpointPath | undefined {
  const decoded = decodePath(originForm(path));
  const match = ENDPOINT.exec(removeDotSegments(decoded.replace(/\/{2,}/g, '/')));
  if (match === null) return undefined;
  return { path: match[1] ?? '', pathInfo: match[2] ?? '', isDangerous: DANGEROUS.test(decoded) };
}

// Unlike in a query, a plus sign is literal here; bytes that are not UTF-8 become U+FFFD.
function decodePath(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

function removeDotSegments(path: string): string {
  if (!path.includes('/.')) return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.length > 1) segments.pop();
    } else if (segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
