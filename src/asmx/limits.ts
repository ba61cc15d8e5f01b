import type { WriteBacklogLimits } from './write-backlog';
import type { XmlLimits } from './xml/xml-syntax-error';

/** Limits on the cost of one request, and of all together; each has a default. */
export interface AsmxLimits extends XmlLimits, WriteBacklogLimits {
  /** Maximum number of connections; a few more are accepted for anything but endpoints. */
  readonly connections: number;
  /** Largest request body, in bytes. ASP.NET's maxRequestLength is 4096 KB. */
  readonly bodyBytes: number;
  /**
   * Maximum number of simultaneous bodies over 64 KB, counted from their first byte until they are answered.
   */
  readonly largeBodies: number;
  /** Longest Content-Type header, in characters. */
  readonly contentTypeCharacters: number;
  /** Longest query string, in characters, without the question mark. ASP.NET's maxQueryStringLength. */
  readonly queryCharacters: number;
  /** Longest path, in characters. ASP.NET's maxUrlLength. */
  readonly pathCharacters: number;
  /** Time limit for a handler before the caller gets a server fault, in milliseconds. */
  readonly handlerMilliseconds: number;
}

/** Resource that ran out when the service refuses or cuts off callers because of all callers together. */
export type Bound = 'bodies' | 'connections' | 'descriptors' | 'unsent';

export const DEFAULT_LIMITS: AsmxLimits = {
  connections: 4000,
  unsentMilliseconds: 30_000,
  unsentBytes: 64 * 1024 * 1024,
  bodyBytes: 4096 * 1024,
  largeBodies: 8,
  contentTypeCharacters: 1024,
  xmlDepth: 64,
  xmlAttributes: 128,
  xmlElements: 100_000,
  xmlNameCharacters: 256,
  queryCharacters: 2048,
  pathCharacters: 260,
  handlerMilliseconds: 110_000, // 110 s: httpRuntime executionTimeout
};
