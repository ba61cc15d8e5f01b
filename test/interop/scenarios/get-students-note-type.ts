import { NOTHING } from '../outcome';
import type { Scenario } from '../scenario';
import { NOTE_TYPES } from '../school';

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'the note types are read',
    operation: 'GetStudentsNoteType',
    args: [],
    expected: NOTHING,
    trace: { logged: { found: true, entries: NOTE_TYPES } },
  },
];
