import { type Config, isThisMachine, SettingError } from '../../config';
import { attempted, type Finding } from '../../support/errors';
import { PROGRAM_NAME } from '../../support/text';
import { readUsers } from './users-file';

/** What keeps the operator's pages from being opened to those whom they are for, and nobody else. */
export function entranceFindings(config: Config): readonly Finding[] {
  return attempted(() => {
    refuseOpenPages(config);
    if (config.ADMIN_PORT !== undefined && config.ADMIN_USERS_FILE !== undefined)
      readUsers(config.ADMIN_USERS_FILE);
    return [];
  });
}

/** @throws SettingError where everybody could open them from elsewhere */
function refuseOpenPages({ ADMIN_PORT, ADMIN_HOST, ADMIN_USERS_FILE }: Config): void {
  if (ADMIN_PORT === undefined || ADMIN_USERS_FILE !== undefined || isThisMachine(ADMIN_HOST)) return;
  throw new SettingError(
    'ADMIN_HOST lets others than this machine reach the operator’s pages, so ADMIN_USERS_FILE has to say who may open ' +
      `them: ${PROGRAM_NAME} admin-user writes it. Otherwise leave ADMIN_HOST at 127.0.0.1.`,
  );
}
