import type { Binding } from '../../src/asmx';
import type { OperationName } from '../../src/operations';
import type { Message } from '../../src/store';
import type { DescribedOperation } from '../support/contract-operations';
import type { Arguments } from './client';
import { NOTHING, type Outcome } from './outcome';
import { CLASS, deviceWhere, EXAM, EXAM_ENTRIES, NOTE_TYPES, SCHOOL, studentsWith } from './school';

/** A call that the service refuses, for a reason that reaches the caller. */
interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
  /** The reason where the binding cannot leave an argument out. */
  readonly reasonOfEmpty?: string;
}

/** What a call that returns nothing leaves behind in the service. */
export interface Trace {
  /** Fields of the request's line in the log. */
  readonly logged?: Readonly<Record<string, string | number | boolean>>;
  readonly stored?: Pick<Message, 'channel' | 'recipient' | 'school'> & {
    /** Gone once the message is sent. */
    readonly payload: Readonly<Record<string, string>>;
  };
}

export interface Scenario {
  readonly title: string;
  readonly operation: OperationName;
  readonly args: Arguments;
  readonly expected: Outcome | Refusal;
  readonly trace?: Trace;
  /** All bindings unless given. */
  readonly bindings?: readonly Binding[];
}

const DIFFICULT = 'Ğüşiöç İı <&"\'> رمز 😀';
/** A code has no other characters. */
const DIFFICULT_CODE = 'Ğüşiöç İı-رمز ٤٢';
const PHONE = '+905550000001';
const FORMS: readonly Binding[] = ['get', 'post'];

const specialDevice = deviceWhere((token) => token.includes('<&"\'>'));
const devicesWithoutToken = deviceWhere((token) => token === '');

const SCENARIOS: readonly Scenario[] = [
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
  refused('AuthCode', ['4711', 'not a number'], 'Parameter phone is not a telephone number.'),
  leftOut('AuthCode', [null, PHONE], 'code'),

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

  {
    title: 'the note types are read',
    operation: 'GetStudentsNoteType',
    args: [],
    expected: NOTHING,
    trace: { logged: { found: true, entries: NOTE_TYPES } },
  },

  students('a list of none', SCHOOL, 'N', 0),
  students('a list of one', SCHOOL, 'İ', 1),
  students('a list of thirty', SCHOOL, 'Y', 30),
  {
    title: 'an unknown school has no students',
    operation: 'GetStudentSchool',
    args: ['http://unknown.example', 'Y'],
    expected: { kind: 'students', students: [] },
  },
  refused('GetStudentSchool', ['', 'Y'], 'Parameter school_base_url is empty.'),
  leftOut('GetStudentSchool', [null, 'Y'], 'school_base_url'),
  {
    title: 'a flag of two characters is refused',
    operation: 'GetStudentSchool',
    args: [SCHOOL, 'YY'],
    expected: {
      kind: 'refused',
      reason:
        'Cannot convert YY to System.Char.\r\nParameter name: type ---> String must be exactly one character long.',
    },
    bindings: FORMS, // The SOAP stacks have no such value of their character type.
  },

  {
    title: 'a note is taken as it was sent',
    operation: 'SendMarkNotes',
    args: [DIFFICULT, CLASS, SCHOOL],
    expected: NOTHING,
    trace: {
      stored: { channel: 'mark', recipient: CLASS, school: SCHOOL, payload: { note: DIFFICULT } },
    },
  },
  {
    title: 'a note of the sample school is taken',
    operation: 'SendMarkNotes',
    args: ['N1', '1A', 'http://school.example'],
    expected: NOTHING,
  },
  refused('SendMarkNotes', ['', '1A', SCHOOL], 'Parameter id is empty.'),
  refused('SendMarkNotes', ['N1', '', SCHOOL], 'Parameter id_class is empty.'),
  leftOut('SendMarkNotes', ['N1', '1A', null], 'baseUrlSchool'),

  token('a token', 'DEV-1', 'sample-token-01'),
  token('a token of difficult characters', specialDevice.id, specialDevice.token),
  token('an empty token', devicesWithoutToken.id, ''),
  token('no token for an unknown device', DIFFICULT, ''),
  refused('GetTokenDevice', [''], 'Parameter id is empty.'),
  refused('GetTokenDevice', ['x'.repeat(257)], 'Parameter id is longer than 256 characters.'),
  leftOut('GetTokenDevice', [null], 'id'),
];

/**
 * What every client calls of an operation over a binding that it has, in this order.
 *
 * @throws Error where no scenario shows the operation at work
 */
export function scenariosOf({ name }: DescribedOperation, binding: Binding): readonly Scenario[] {
  const found = SCENARIOS.filter(
    ({ operation, bindings }) => operation === name && bindings?.includes(binding) !== false,
  );
  if (found.every(({ expected }) => expected.kind === 'refused')) {
    throw new Error(`No scenario shows ${name} at work over ${binding}`);
  }
  return found;
}

function students(title: string, school: string, flag: string, count: number): Scenario {
  const list = studentsWith(flag);
  if (list.length !== count) throw new Error(`${title}: students.csv has ${String(list.length)}`);
  return {
    title,
    operation: 'GetStudentSchool',
    args: [school, flag],
    expected: { kind: 'students', students: list },
  };
}

function token(title: string, device: string, text: string): Scenario {
  return { title, operation: 'GetTokenDevice', args: [device], expected: { kind: 'text', text } };
}

function refused(operation: OperationName, args: Arguments, reason: string): Scenario {
  return { title: `refused: ${reason}`, operation, args, expected: { kind: 'refused', reason } };
}

function leftOut(operation: OperationName, args: Arguments, parameter: string): Scenario {
  return {
    title: `${parameter} left out`,
    operation,
    args,
    expected: {
      kind: 'refused',
      reason: `Missing parameter: ${parameter}.`,
      reasonOfEmpty: `Parameter ${parameter} is empty.`,
    },
  };
}
