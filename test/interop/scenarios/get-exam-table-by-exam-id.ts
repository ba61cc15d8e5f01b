import { NOTHING } from '../outcome';
import { leftOut, refused, type Scenario } from '../scenario';
import { EXAM, EXAM_ENTRIES } from '../school';

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'an exam is found',
    operation: 'GetExamTableByExamId',
    args: [EXAM],
    expected: NOTHING,
    trace: { logged: { found: true, entries: EXAM_ENTRIES } },
  },
  {
    title: 'an unknown exam answers all the same',
    operation: 'GetExamTableByExamId',
    args: ['no such exam'],
    expected: NOTHING,
    trace: { logged: { found: false } },
  },
  refused('GetExamTableByExamId', [''], 'Parameter ExamId is empty.'),
  refused('GetExamTableByExamId', ['x'.repeat(257)], 'Parameter ExamId is longer than 256 characters.'),
  leftOut('GetExamTableByExamId', [null], 'ExamId'),
];
