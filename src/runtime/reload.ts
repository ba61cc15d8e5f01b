import type { Logger } from 'pino';

import { readAgain } from '../app';
import type { Config } from '../config';
import type { Entrance } from '../entrance';

/**
 * From now on SIGHUP has files read again, where there is anything to read again while the service runs. Where there
 * is not, SIGHUP ends it, as usual.
 */
export function onReload(config: Config, reload: () => void): void {
  const { ACCESS_FILE, ADMIN_USERS_FILE, TLS_CERT_FILE, CUTOVER_FILE } = config;
  if ((ACCESS_FILE ?? ADMIN_USERS_FILE ?? TLS_CERT_FILE ?? CUTOVER_FILE) !== undefined)
    process.on('SIGHUP', reload);
}

/** Reads again who may open the operator's pages. */
export function reloadUsers(entrance: Entrance, { ADMIN_USERS_FILE }: Config, logger: Logger): void {
  readAgain('ADMIN_USERS_FILE is', ADMIN_USERS_FILE === undefined ? undefined : entrance, logger);
}
