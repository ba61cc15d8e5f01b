import type { Request } from 'express';

import { clientAddress, groupsOf } from '../asmx';

/** Kinds of clients by what their User-Agent says; the first that fits. Log and metrics know these words alone. */
const FAMILIES: readonly (readonly [pattern: RegExp, family: string])[] = [
  [/MS Web Services Client Protocol|^\.NET|Microsoft WCF/, 'dotnet'],
  [/Mono Web Services/, 'mono'],
  [/JAX-WS|Metro|CXF|Axis|^Java\/|Apache-HttpClient/, 'java'],
  [/^node|undici|axios/, 'node'],
  [/PHP/, 'php'],
  [/[Pp]ython|Zeep|aiohttp/, 'python'],
  [/^curl|^Wget/, 'curl'],
  [/okhttp|Dalvik|ksoap/, 'android'],
  [/CFNetwork|Darwin/, 'apple'],
  [/^Dart/, 'dart'],
  [/^Go-http-client/, 'go'],
  [/^Mozilla\//, 'browser'],
];
const LONGEST_AGENT = 256;
const MOST_REMEMBERED = 1_000;

const remembered = new Map<string, string>();

/** The family of a User-Agent: one word of few, whatever the caller sent. */
export function agentFamily(userAgent: string | undefined): string {
  if (userAgent === undefined) return 'none';
  const known = remembered.get(userAgent);
  if (known !== undefined) return known;
  const text = userAgent.slice(0, LONGEST_AGENT);
  const family = FAMILIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  if (text.length === userAgent.length) remembered.set(userAgent, family);
  return family;
}

/** How much of a client's address the log holds. */
export type LogClient = 'off' | 'network' | 'address';

/** The client's address for the log, or as much of it as it may hold. */
export function loggedAddress(request: Request | undefined, logClient: LogClient): string | undefined {
  if (logClient === 'off' || request === undefined) return undefined;
  const address = clientAddress(request);
  return address === undefined || logClient === 'address' ? address : maskAddress(address);
}

/** An address for the log: its network of 24 bits, of IPv6 that of 48. */
function maskAddress(address: string): string {
  if (address.includes(':')) return `${groupsOf(address).slice(0, 3).join(':')}::/48`;
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}
