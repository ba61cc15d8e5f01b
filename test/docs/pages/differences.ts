import { KNOWN_DIFFERENCES } from '../../../src/features/migration/verdict/known-differences';
import { GENERATED, wrap } from './markdown';

const INTRODUCTION = `The service answers like ASMX to the byte, except for the differences below.
\`school-notifications compare\` recognizes them and reports the reason instead of a failure.`;

/** Returns the page on what differs from ASMX on purpose. */
export function differencesPage(): string {
  const parts = KNOWN_DIFFERENCES.map(
    ({ what, asmx, here, reason }) =>
      `## ${what}\n\n${wrap(`- ASMX: ${asmx}`, '  ')}\n${wrap(`- Here: ${here}`, '  ')}\n${wrap(`- Why: ${reason}`, '  ')}\n`,
  );
  return `# Differences from ASMX\n\n${GENERATED}\n\n${INTRODUCTION}\n\n${parts.join('\n')}`;
}
