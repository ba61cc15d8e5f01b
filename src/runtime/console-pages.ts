import { randomBytes } from 'node:crypto';

import type { RequestHandler } from 'express';

import { type ConsoleParts, createConsole, type Visitors } from '../console';
import type { Settings } from '../config';
import type { ServiceLog } from '../telemetry';

/** The operator's pages; undefined where there is no port for them. */
export function consolePages(
  parts: Pick<ConsoleParts, 'store' | 'metrics' | 'version'>,
  settings: Settings,
  { logger }: ServiceLog,
): RequestHandler | undefined {
  if (settings.config.ADMIN_PORT === undefined) return undefined;
  const { store, metrics, version } = parts;
  return createConsole({ store, metrics, version, settings, logger, visitors: lookers() });
}

/** Everybody who gets to the port may look, and change nothing. */
function lookers(): Visitors {
  const token = randomBytes(16).toString('base64url');
  return {
    visitorOf: () => ({ name: undefined, role: 'viewer', canLogOut: false }),
    pageToken: () => token,
    isPageToken: (_response, given) => given === token,
    audit: () => undefined,
  };
}
