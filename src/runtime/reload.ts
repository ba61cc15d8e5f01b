import type { Config } from '../config';

/** Whether there is anything to read again while the service runs. Where there is not, SIGHUP ends it, as usual. */
export function canReload({ ACCESS_FILE, TLS_CERT_FILE }: Config): boolean {
  return ACCESS_FILE !== undefined || TLS_CERT_FILE !== undefined;
}

/** From now on SIGHUP has files read again. */
export function onReload(reload: () => void): void {
  process.on('SIGHUP', reload);
}
