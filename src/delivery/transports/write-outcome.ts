import { errorWord } from '../../errors';
import type { Outcome } from '../outcome/outcome';

/** What a write to a file means for its message. */
export async function writeOutcome(written: Promise<void>): Promise<Outcome> {
  try {
    await written;
    return { kind: 'sent' };
  } catch (error) {
    return { kind: 'failing', reason: `The file cannot be written (${errorWord(error)}).` };
  }
}
