import { Access } from '../access';
import type { Config } from '../config';
import { OPERATIONS, schoolOf } from '../operations';
import { canonicalSchoolUrl } from '../store';

/**
 * Who may call, where a file says so.
 *
 * @throws OperatorError when the file cannot be used
 */
export function openAccess({ ACCESS_FILE: path, ROLE: role }: Config): Access | undefined {
  if (path === undefined || role === 'worker') return undefined;
  return new Access({
    path,
    operations: Object.keys(OPERATIONS),
    schoolKey: canonicalSchoolUrl,
    schoolOf,
    codeOperation: 'AuthCode',
  });
}
