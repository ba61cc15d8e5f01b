import type { RequestHandler } from 'express';

import { type ConsoleParts, createConsole } from '../console';
import type { Settings } from '../config';
import type { Entrance } from '../entrance';
import type { ServiceLog } from '../telemetry';

/** The operator's pages; undefined where there is no port for them. */
export function consolePages(
  parts: Pick<ConsoleParts, 'store' | 'metrics' | 'version'>,
  settings: Settings,
  entrance: Entrance,
  { logger }: ServiceLog,
): RequestHandler | undefined {
  if (settings.config.ADMIN_PORT === undefined) return undefined;
  const { store, metrics, version } = parts;
  return createConsole({ store, metrics, version, settings, logger, visitors: entrance });
}
