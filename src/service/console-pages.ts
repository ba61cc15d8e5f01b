import type { RequestHandler } from 'express';

import { createConsole } from '../admin/console';
import type { Settings } from '../config';
import type { Entrance } from '../admin/login';
import type { Node } from '../admin/history';
import type { Store } from '../store';
import type { ServiceLog } from '../telemetry';

/** The operator's pages; undefined where there is no port for them. */
export function consolePages(
  store: Store,
  node: Node,
  settings: Settings,
  entrance: Entrance,
  { logger }: ServiceLog,
): RequestHandler | undefined {
  if (settings.config.ADMIN_PORT === undefined) return undefined;
  return createConsole({ store, node, settings, logger, visitors: entrance });
}
