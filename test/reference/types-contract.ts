// Written by `npm run contract-types` from service descriptions: what is changed here is lost.

import type { DateTime } from '../../src/asmx';

export type Grade = 'Low' | 'Middle' | 'High';

export type Entry = Readonly<{
  number: number;
  subject: string | null;
  date: DateTime;
  minutes: number;
  weight: string;
  oral: boolean;
  grade: Grade;
  average: number | null;
}>;

export type Exam = Readonly<{
  id: string | null;
  key: string;
  entries: readonly (Entry | null)[] | null;
  tags: readonly (string | null)[] | null;
  paper: Uint8Array | null;
  main: Entry | null;
  total: bigint;
  ratio: number;
  closed: DateTime | null;
}>;

/** Which service offers each operation, and what its parameters are called. */
export const OPERATIONS = {
  EchoInt: { service: 'Types', parameters: ['v'] },
  EchoLong: { service: 'Types', parameters: ['v'] },
  EchoShort: { service: 'Types', parameters: ['v'] },
  EchoByte: { service: 'Types', parameters: ['v'] },
  EchoBool: { service: 'Types', parameters: ['v'] },
  EchoDecimal: { service: 'Types', parameters: ['v'] },
  EchoDouble: { service: 'Types', parameters: ['v'] },
  EchoFloat: { service: 'Types', parameters: ['v'] },
  EchoDateTime: { service: 'Types', parameters: ['v'] },
  EchoGuid: { service: 'Types', parameters: ['v'] },
  EchoChar: { service: 'Types', parameters: ['v'] },
  EchoGrade: { service: 'Types', parameters: ['v'] },
  EchoBytes: { service: 'Types', parameters: ['v'] },
  EchoStrings: { service: 'Types', parameters: ['v'] },
  EchoInts: { service: 'Types', parameters: ['v'] },
  EchoMaybe: { service: 'Types', parameters: ['v'] },
  EchoEntry: { service: 'Types', parameters: ['v'] },
  EchoExam: { service: 'Types', parameters: ['v'] },
  GetExam: { service: 'Types', parameters: ['entries'] },
  GetExams: { service: 'Types', parameters: ['count'] },
  Nothing: { service: 'Types', parameters: ['a', 'b'] },
} as const;

/** Arguments and result of each operation. */
export interface ContractOperations {
  EchoInt: { parameters: Readonly<{ v: number }>; result: number };
  EchoLong: { parameters: Readonly<{ v: bigint }>; result: bigint };
  EchoShort: { parameters: Readonly<{ v: number }>; result: number };
  EchoByte: { parameters: Readonly<{ v: number }>; result: number };
  EchoBool: { parameters: Readonly<{ v: boolean }>; result: boolean };
  EchoDecimal: { parameters: Readonly<{ v: string }>; result: string };
  EchoDouble: { parameters: Readonly<{ v: number }>; result: number };
  EchoFloat: { parameters: Readonly<{ v: number }>; result: number };
  EchoDateTime: { parameters: Readonly<{ v: DateTime }>; result: DateTime };
  EchoGuid: { parameters: Readonly<{ v: string }>; result: string };
  EchoChar: { parameters: Readonly<{ v: string }>; result: string };
  EchoGrade: { parameters: Readonly<{ v: Grade }>; result: Grade };
  EchoBytes: { parameters: Readonly<{ v: Uint8Array | null }>; result: Uint8Array | null };
  EchoStrings: {
    parameters: Readonly<{ v: readonly (string | null)[] | null }>;
    result: readonly (string | null)[] | null;
  };
  EchoInts: { parameters: Readonly<{ v: readonly number[] | null }>; result: readonly number[] | null };
  EchoMaybe: { parameters: Readonly<{ v: number | null }>; result: number | null };
  EchoEntry: { parameters: Readonly<{ v: Entry | null }>; result: Entry | null };
  EchoExam: { parameters: Readonly<{ v: Exam | null }>; result: Exam | null };
  GetExam: { parameters: Readonly<{ entries: number }>; result: Exam | null };
  GetExams: { parameters: Readonly<{ count: number }>; result: readonly (Exam | null)[] | null };
  Nothing: { parameters: Readonly<{ a: number; b: boolean }>; result: undefined };
}
