import type { Command } from 'commander';

import type { Host } from './run-command';

/** A command of the terminal. Its code is loaded only when it is run. */
interface OfferedCommand {
  /** Description in one line. */
  readonly about: string;
  /** Example arguments, one line each. */
  readonly examples: readonly string[];
  readonly load: () => Promise<(host: Host) => Command>;
}

/** All commands by name. */
export const COMMANDS: Readonly<Record<string, OfferedCommand>> = {
  check: {
    about: 'check the settings, the database and the providers',
    examples: ['', '--push cXk3...'],
    load: async () => (await import('./check.js')).check,
  },
  health: {
    about: 'check whether the running service is ready',
    examples: [''],
    load: async () => (await import('./running-service.js')).health,
  },
  reload: {
    about: 'reload settings and files of the running service',
    examples: [''],
    load: async () => (await import('./running-service.js')).reload,
  },
  alerts: {
    about: 'list the active alerts, and test their receivers',
    examples: ['', 'test'],
    load: async () => (await import('./alerts.js')).alerts,
  },
  import: {
    about: 'load school data from CSV files or an Excel workbook',
    examples: ['./school --dry-run', './school', './school --replace'],
    load: async () => (await import('./import.js')).importData,
  },
  export: {
    about: 'write school data to CSV files',
    examples: ['./school'],
    load: async () => (await import('./import.js')).exportData,
  },
  deliveries: {
    about: 'list, show, retry or cancel messages',
    examples: [
      'list --state failed --newer-than 1d',
      'list --phone "0555 111 22 33"',
      'show 0190a5c2-6f9e-7c3a-9d55-3f2f3c8b1a20',
      'retry --state failed --channel push --newer-than 2h',
    ],
    load: async () => (await import('./deliveries.js')).deliveries,
  },
  gateways: {
    about: 'list the SMS gateways, send a test SMS, show balances',
    examples: ['', 'presets', 'test netgsm +905551112233', 'balance'],
    load: async () => (await import('./gateways.js')).gateways,
  },
  usage: {
    about: 'count the messages of a month and their cost',
    examples: ['', '--month 2026-11 --by school --csv > usage.csv'],
    load: async () => (await import('./usage.js')).usage,
  },
  forget: {
    about: 'delete everything stored about a phone number, device or student',
    examples: [
      '--phone "0555 111 22 33" --dry-run',
      '--phone "0555 111 22 33"',
      '--student https://school.example S1',
    ],
    load: async () => (await import('./forget.js')).forget,
  },
  backup: {
    about: 'back up the SQLite database while the service runs',
    examples: ['/var/backups/school.db', '--every 6h --keep 28 /var/backups/school'],
    load: async () => (await import('./backup.js')).backup,
  },
  restore: {
    about: 'restore the SQLite database from a backup',
    examples: ['/var/backups/school.db', '/var/backups/school.db --replace'],
    load: async () => (await import('./backup.js')).restore,
  },
  move: {
    about: 'copy everything to another database, SQLite or PostgreSQL',
    examples: [
      '--to postgres://school@db.example:5432/school',
      '--to sqlite:/var/lib/school/service.db',
      '--undo',
    ],
    load: async () => (await import('./move.js')).move,
  },
  compare: {
    about: 'compare the responses of the old server and the new one',
    examples: [
      '--old https://old.example --new http://localhost:8080 --probe',
      '--old https://old.example --values-template > values.json',
      '--old https://old.example --new http://localhost:8080 --probe --values values.json --html report.html',
      '--old https://old.example --new http://localhost:8080 --traffic requests.jsonl u_ex261123.log --rate 5',
      '--shadow --html report.html',
    ],
    load: async () => (await import('./compare.js')).compare,
  },
  'access-secret': {
    about: 'create a key or a password hash for ACCESS_FILE',
    examples: ['--generate', '', '--key < key.txt'],
    load: async () => (await import('./secrets.js')).accessSecret,
  },
  'admin-user': {
    about: 'add or remove a console user (ADMIN_USERS_FILE)',
    examples: ['anna --role operator', 'ben', 'ben --remove'],
    load: async () => (await import('./secrets.js')).adminUser,
  },
};
