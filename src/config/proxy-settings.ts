import * as z from 'zod';

import { tryTo } from '../support/errors';
import { type Kind, type Setting, shownHost } from './kinds';

/** Returns the URL of a proxy, which may be given without a scheme, as with curl; undefined if invalid. */
function proxyUrl(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (/^[a-z][a-z0-9+.-]*:\/\/(?!$)/i.test(text) && url !== text) return undefined;
  if (/\s/.test(url) || !URL.canParse(url)) return undefined;
  const { username, password, pathname, search, hash } = new URL(url);
  const isBare = pathname === '/' && search === '' && hash === '';
  return isBare && isDecodable(username) && isDecodable(password) ? url : undefined;
}

function isDecodable(text: string): boolean {
  return tryTo(() => decodeURIComponent(text)) !== undefined;
}

const proxy = z.string().transform((text, context) => {
  const url = proxyUrl(text);
  if (url !== undefined) return url;
  context.addIssue('is not a proxy URL');
  return z.NEVER;
});

/** The URL of a proxy, or empty. */
const optionalProxy: Kind<string> = {
  allowed:
    'URL of an HTTP proxy such as `http://proxy.example:3128`, with `USER:PASSWORD@` if it needs them; or empty',
  schema: z.union([z.literal(''), proxy]),
};

const hostList: Kind<string> = {
  allowed:
    'host names and addresses separated by commas or spaces, each with an optional `:PORT`; `*` for all; or empty',
  schema: z.string().max(10_000),
};

function shownProxy(text: string): string | undefined {
  return shownHost(proxyUrl(text) ?? '');
}

/** Settings for requests to providers and to the trace collector; part of the one table. */
export const PROXY_SETTINGS = {
  HTTP_PROXY: {
    default: '',
    kind: optionalProxy,
    description:
      'Proxy for requests to `http://` URLs of the SMS gateway, Firebase and the trace collector, and to `https://` URLs if HTTPS_PROXY is empty. The environment variable http_proxy takes precedence.',
    secret: true,
    shown: shownProxy,
  },
  HTTPS_PROXY: {
    default: '',
    kind: optionalProxy,
    description: 'Proxy for `https://` URLs. The environment variable https_proxy takes precedence.',
    secret: true,
    shown: shownProxy,
  },
  NO_PROXY: {
    default: '',
    kind: hostList,
    description:
      'Hosts reached without a proxy, including their subdomains; localhost, 127.0.0.1 and [::1] always are. The environment variable no_proxy takes precedence.',
  },
} satisfies Record<string, Setting>;

/** Names that other programs also read, most of them in lower case only. */
export const SHARED_NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

/** Options of undici's EnvHttpProxyAgent: given all of them, it does not read the environment itself. */
export interface ProxyOptions {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  /**
   * False: the proxy forwards requests for `http://` URLs without a tunnel, because many proxies of schools
   * allow CONNECT to port 443 only.
   */
  readonly proxyTunnel: false;
}

/** Hosts that never go through a proxy. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export interface ProxyConfig {
  readonly HTTP_PROXY: string;
  readonly HTTPS_PROXY: string;
  readonly NO_PROXY: string;
}

/**
 * Returns the proxy for a URL, or undefined for none, by the rules of undici's EnvHttpProxyAgent: for clients
 * other than undici.
 */
export function proxyFor(url: string, { httpProxy, httpsProxy, noProxy }: ProxyOptions): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  const proxy = isTls && httpsProxy !== '' ? httpsProxy : httpProxy;
  const usedPort = port === '' ? (isTls ? '443' : '80') : port;
  const isDirect = noProxy.split(',').some((entry) => {
    const [, host = entry, entryPort = usedPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const name = host.replace(/^\*?\./, '').toLowerCase();
    return entryPort === usedPort && (name === hostname || hostname.endsWith(`.${name}`) || noProxy === '*');
  });
  return proxy === '' || isDirect ? undefined : proxy;
}

export function proxyOptions({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY }: ProxyConfig): ProxyOptions {
  const hosts = NO_PROXY.split(/[,\s]+/).filter((host) => host !== '');
  const noProxy = hosts.includes('*') ? '*' : [...hosts, ...LOOPBACK].join(',');
  return { httpProxy: HTTP_PROXY, httpsProxy: HTTPS_PROXY, noProxy, proxyTunnel: false };
}
