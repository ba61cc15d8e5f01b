import type { Command } from 'commander';

import type { Host } from './run-command';

export { runCommand } from './run-command';

/** A command of the terminal. Nothing of it is loaded before it is asked for. */
export interface OfferedCommand {
  /** What it does, in a line. */
  readonly about: string;
  readonly load: () => Promise<(host: Host) => Command>;
}

/** All of them, by the names that they are called by. */
export const COMMANDS: Readonly<Record<string, OfferedCommand>> = {
  check: {
    about: 'shows all settings, and what is wrong with them, the database and the providers',
    load: async () => (await import('./check.js')).check,
  },
  import: {
    about: 'loads the school’s data from CSV files',
    load: async () => (await import('./import.js')).importData,
  },
  export: {
    about: 'writes the school’s data as CSV files',
    load: async () => (await import('./export.js')).exportData,
  },
  deliveries: {
    about: 'lists messages, shows one, tries them again or cancels them',
    load: async () => (await import('./deliveries.js')).deliveries,
  },
  usage: {
    about: 'what was sent in a month, and what it cost',
    load: async () => (await import('./usage.js')).usage,
  },
  forget: {
    about: 'takes out what is stored of a telephone number, a device or a student',
    load: async () => (await import('./forget.js')).forget,
  },
  compare: {
    about: 'compares the answers of an old server with those of a new one',
    load: async () => (await import('./compare.js')).compare,
  },
  'access-secret': {
    about: 'makes a key or the hash of a password for ACCESS_FILE',
    load: async () => (await import('./access-secret.js')).accessSecret,
  },
  'admin-user': {
    about: 'writes who may open the operator’s pages (ADMIN_USERS_FILE)',
    load: async () => (await import('./admin-user.js')).adminUser,
  },
};
