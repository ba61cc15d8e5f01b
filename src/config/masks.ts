import type { Setting } from './setting';

/** Stands for what is not shown. */
const HIDDEN = '***';

/** User and password in front of a host. */
const CREDENTIALS = /(?<=\/\/)[^\s/?#]*(?=@)/g;

/** What may be shown of a setting's value that the operator gave: of a secret as much as its row allows. */
export function shownValue({ secret = false, shown = () => undefined }: Setting, text: string): string {
  return secret ? (shown(text) ?? HIDDEN) : text.replace(CREDENTIALS, HIDDEN);
}

/** Engine, host and database; of SQLite the path. Undefined for what is neither. */
export function shownDatabase(url: string): string | undefined {
  if (url.startsWith('sqlite:')) return url;
  if (!URL.canParse(url)) return undefined;
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${HIDDEN}@`}${host}${pathname}`;
}

/** The host: path and query of a gateway's address may hold its key. */
export function shownHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/${HIDDEN}`;
}
