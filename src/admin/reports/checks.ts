import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { type Config, databaseFile, databaseOptions, type Settings } from '../../config';
import { ALL_FEATURES } from '../../features/feature';
import { inspectStore, StoreError, type StoreInspection } from '../../store';
import { errorWord, type Finding } from '../../support/errors';
import { tryToWriteIn, writeAdvice } from '../../support/replace-file';

export interface CheckSection {
  readonly title: string;
  /** Rows of cells: a name and its values. */
  readonly rows: readonly (readonly string[])[];
  readonly findings: readonly Finding[];
}

/** Returns true unless the operator has set it. */
export function isDefault({ origin }: Settings['effective'][number]): boolean {
  return origin.startsWith('default');
}

/**
 * Lists the settings in effect with their origins: the changed ones first, and the defaults as a count unless
 * all are requested.
 */
export function checkSettings(settings: Settings, findings: readonly Finding[], all: boolean): CheckSection {
  const changed = settings.effective.filter((setting) => !isDefault(setting));
  const defaults = settings.effective.filter(isDefault);
  const rows = [...changed, ...(all ? defaults : [])].map(({ name, shown, origin }) => [name, origin, shown]);
  const rest = ['all others', 'default', `${String(defaults.length)} settings; --all lists them`];
  return { title: 'Settings', rows: all ? rows : [...rows, rest], findings };
}

/** Adds to a section's findings the lines of the settings that they name. */
export function located(section: CheckSection, settings: Settings): CheckSection {
  const findings = section.findings.map((finding) => ({
    ...finding,
    message: settings.located(finding.message),
  }));
  return { ...section, findings };
}

/** Checks the database and the folders that the service writes to, and leaves them as they are. */
export async function checkStore(config: Config): Promise<CheckSection> {
  const { rows, findings } = await checkDatabase(config);
  return { title: 'Store', rows, findings: [...findings, ...folderFindings(config)] };
}

/**
 * Tries to write to each folder that the service writes to. Under systemd only the service itself has its
 * sandbox, so it does the same at its start.
 */
export function folderFindings(config: Config): readonly Finding[] {
  return [
    ...folderFinding(config.DATA_DIR, 'The data folder', 'DATA_DIR', 'fatal'),
    ...ALL_FEATURES.flatMap(({ writtenFolders }) => writtenFolders?.(config) ?? []).flatMap(
      ({ folder, name, setting, level }) => folderFinding(folder, name, setting, level),
    ),
  ];
}

export type SectionContent = Pick<CheckSection, 'rows' | 'findings'>;

async function checkDatabase(config: Config): Promise<SectionContent> {
  const file = databaseFile(config);
  try {
    const inspection = await inspectStore(databaseOptions(config));
    const { rows, findings } = checkSchema(inspection.schema);
    const checks = ALL_FEATURES.map(async (feature) => feature.checkDatabase?.(inspection, config));
    const more = (await Promise.all(checks)).filter((part) => part !== undefined);
    return {
      rows: [
        ['engine', inspection.engine],
        ...(file === undefined
          ? []
          : [['file', `${file}, mode ${(statSync(file).mode & 0o777).toString(8)}`]]),
        ...rows,
        ['writable', 'yes'],
        ...more.flatMap((part) => part.rows),
      ],
      findings: [...findings, ...checkPrimaries(inspection), ...more.flatMap((part) => part.findings)],
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.trouble === 'no-schema' && file !== undefined) {
      return {
        rows: [['file', `${file}: not created yet; the next start will create it`]],
        findings: folderFinding(dirname(file), 'The database folder', 'DATABASE_URL', 'fatal'),
      };
    }
    return { rows: [], findings: [{ level: 'fatal', message: `DATABASE_URL: ${error.message}` }] };
  }
}

function checkPrimaries({ secondPrimaries }: StoreInspection): readonly Finding[] {
  return secondPrimaries.map((server) => ({
    level: 'error',
    message: `The PostgreSQL server ${server} accepts writes beside the primary. Stop it and make it a standby, see “Two primaries” in docs/several-nodes.md.`,
  }));
}

function checkSchema({ last, missing }: StoreInspection['schema']): SectionContent {
  const latest = missing.at(-1);
  if (latest === undefined) return { rows: [['schema', `${last ?? ''} (current)`]], findings: [] };
  if (last === undefined) {
    return { rows: [['schema', 'not created yet; the next start will create it']], findings: [] };
  }
  const message = `The database schema is out of date. The next start upgrades it to ${latest}; older versions of the program cannot use it afterwards. Make a backup first.`;
  return { rows: [['schema', last]], findings: [{ level: 'warn', message }] };
}

/** Tries to write to a folder, or to the one in which it would be created. */
function folderFinding(
  path: string,
  what: string,
  setting: string,
  level: Finding['level'],
): readonly Finding[] {
  if (!existsSync(path) && dirname(path) !== path) return folderFinding(dirname(path), what, setting, level);
  try {
    tryToWriteIn(path);
    return [];
  } catch (error) {
    const code = errorWord(error);
    const advice = writeAdvice(code) || ' Create it, or make the service’s user its owner.';
    return [{ level, message: `${what} (${setting}) is not writable: ${path} (${code}).${advice}` }];
  }
}
