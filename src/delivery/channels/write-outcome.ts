import type { Outcome } from '../outcome';

/** What a write to a file means for its message. */
export async function writeOutcome(written: Promise<void>): Promise<Outcome> {
  try {
    await written;
    return { kind: 'sent' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { kind: 'failing', reason: `The file cannot be written (${code}).` };
  }
}
