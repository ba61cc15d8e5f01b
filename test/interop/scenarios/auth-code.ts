import { NOTHING } from '../outcome';
import { leftOut, refused, type Scenario } from '../scenario';

/** A code has no other characters. */
const DIFFICULT_CODE = 'Ğüşiöç İı-رمز ٤٢';
const PHONE = '+905550000001';

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a code is stored as it was sent',
    operation: 'AuthCode',
    args: [DIFFICULT_CODE, '+90 (555) 000-00-01'],
    expected: NOTHING,
    trace: {
      stored: { channel: 'sms', recipient: PHONE, school: '', payload: { code: DIFFICULT_CODE } },
    },
  },
  refused('AuthCode', ['', PHONE], 'Parameter code is empty.'),
  refused('AuthCode', ['4711', 'not a number'], 'Parameter phone is not a valid phone number.'),
  leftOut('AuthCode', [null, PHONE], 'code'),
];
