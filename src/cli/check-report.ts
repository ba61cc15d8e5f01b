import type { Finding } from '../support/errors';
import type { Section } from '../admin/reports';
import { shown, textTable } from '../support/text';

const WORDS = { warn: 'Warning', error: 'Cannot work', fatal: 'Cannot work' } as const satisfies Record<
  Finding['level'],
  string
>;

/** Everything that was looked at, for the terminal, and how much of it cannot work or is warned of. */
export function checkReport(sections: readonly Section[]): string {
  const parts = sections.map(({ title, rows, findings }) => {
    const [first, ...others] = rows;
    const table = first === undefined ? [] : textTable(first.map(shown), others, first.length).split('\n');
    const lines = findings.map(({ level, message }) => `${WORDS[level]}: ${shown(message)}`);
    return [title, ...[...table, ...lines].map((line) => `  ${line}`)].join('\n');
  });
  const { warnings, failures } = counts(sections);
  const summary =
    warnings + failures === 0
      ? 'Nothing is wrong.'
      : `Cannot work: ${String(failures)}. Warnings: ${String(warnings)}.`;
  return `${parts.join('\n\n')}\n\n${summary}\n`;
}

/** 0 where nothing is wrong, 1 where there are warnings, 2 where something cannot work. */
export function checkExitCode(sections: readonly Section[]): 0 | 1 | 2 {
  const { warnings, failures } = counts(sections);
  if (failures > 0) return 2;
  return warnings > 0 ? 1 : 0;
}

function counts(sections: readonly Section[]) {
  const levels = sections.flatMap(({ findings }) => findings.map(({ level }) => level));
  const warnings = levels.filter((level) => level === 'warn').length;
  return { warnings, failures: levels.length - warnings };
}
