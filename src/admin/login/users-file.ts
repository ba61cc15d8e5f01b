import * as z from 'zod';

import { parseSecretHash, type SecretHash } from '../../access';
import { parseChecked, readOperatorFile } from '../../config';
import { OperatorError } from '../../support/errors';
import { PROGRAM_NAME } from '../../support/program-name';

/**
 * `viewer` only reads, `helpdesk` also sees students' names and retries messages, `operator` may do
 * everything.
 */
export const ROLES = ['viewer', 'helpdesk', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that each action of the console needs. Pages without an action are open to all users. */
const NEEDED_ROLES = {
  search: ROLES,
  names: ['helpdesk', 'operator'],
  export: ROLES,
  retry: ['helpdesk', 'operator'],
  cancel: ['operator'],
  audit: ['operator'],
  import: ['operator'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof NEEDED_ROLES;

export function mayUse(role: Role, action: Permission): boolean {
  return NEEDED_ROLES[action].some((needed) => needed === role);
}

export interface User {
  readonly role: Role;
  readonly hash: SecretHash;
  /** Hash as written in the file: another one means another password. */
  readonly secret: string;
}

export type WrittenUsers = Readonly<Record<string, { readonly role: Role; readonly secret: string }>>;

/** Names appear in pages and in the log, and are typed. */
export const USER_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

const content = z.strictObject({
  users: z.record(
    z.string().regex(USER_NAME, 'is not a valid name (a to z, A to Z, digits, . _ @ -)'),
    z.strictObject({
      role: z.enum(ROLES),
      secret: z
        .string()
        .refine(
          (text) => parseSecretHash(text)?.kind === 'scrypt',
          `is not an scrypt hash; create one with ${PROGRAM_NAME} admin-user`,
        ),
    }),
  ),
});

/** @throws OperatorError if it is unreadable or invalid; without any of its content but names */
export function readWrittenUsers(path: string): WrittenUsers {
  return parseChecked(readOperatorFile(path, 'ADMIN_USERS_FILE'), content).users;
}

/** @throws OperatorError as above, and for a file without users, with which no one could log in */
export function readUsers(path: string): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  for (const [name, { role, secret }] of Object.entries(readWrittenUsers(path))) {
    const hash = parseSecretHash(secret);
    if (hash !== undefined) users.set(name, { role, hash, secret });
  }
  if (users.size === 0) {
    throw new OperatorError(
      `${path} (ADMIN_USERS_FILE) contains no users. Add them with ${PROGRAM_NAME} admin-user.`,
    );
  }
  return users;
}

export function writtenUsers(users: WrittenUsers): string {
  return `${JSON.stringify({ users }, undefined, 2)}\n`;
}
