import { adviceOnReason, type Reason, REASON_CODES, reasonText } from '../../../src/store';
import { GENERATED, wrap } from './markdown';

const INTRODUCTION = `Each message that was not sent, or not yet, has one of these reasons. \`deliveries --reason\`, the
console's filter, CSV, JSON and the log use the code; \`deliveries show\` and the console print the text and the advice.
Words in capitals stand for what the provider or the system answered.`;

/** Returns the page on all reasons. */
export function reasonsPage(): string {
  const parts = REASON_CODES.map((code) => {
    const reason = sample(code);
    const advice = adviceOnReason(reason).join(' ').replaceAll('npx ', '');
    const rest = advice === '' ? '' : `\n${wrap(advice)}\n`;
    return `## ${code}\n\n${wrap(`“${reasonText(reason)}”`)}\n${rest}`;
  });
  return `# Reasons\n\n${GENERATED}\n\n${INTRODUCTION}\n\n${parts.join('\n')}`;
}

function sample(code: Reason['code']): Reason {
  const answer = { status: 'STATUS', detail: 'DETAIL', error: 'ERROR', missing: 'class' };
  // Each text takes what it needs; a word stands for a number.
  return { code, ...answer, notSent: 3, pushes: 25, first: null, others: 0 } as unknown as Reason;
}
