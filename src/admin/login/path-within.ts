/** Base for parsing addresses: no address of this server begins like this. */
const HERE = 'http://here.invalid';
const OUTSIDE = /^\/(?:\/|log(?:in|out)$)/;

/**
 * Returns the requested path if it belongs to this server and is not the login itself; otherwise the first
 * page.
 */
export function pathWithin(wanted: string): string {
  if (!URL.canParse(wanted, HERE)) return '/';
  const { origin, pathname, search } = new URL(wanted, HERE);
  return origin !== HERE || OUTSIDE.test(pathname) ? '/' : pathname + search;
}
