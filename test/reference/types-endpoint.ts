import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DateTime, type EndpointDefinition } from '../../src/asmx';
import { PACKAGE_ROOT } from '../../scripts/harness';
import type { ContractOperations, Entry, Exam } from './types-contract';

const GRADES = ['Low', 'Middle', 'High'] as const;
const START = DateTime.parse('2026-11-22T08:30:00');
const DAY_MS = 86_400_000;

function entry(index: number): Entry {
  return {
    number: index,
    subject: `Ders ${String(index)} <&>`,
    date: new DateTime(START.wallTime + index * DAY_MS),
    minutes: 40 + index,
    weight: '0.10',
    oral: index % 2 === 0,
    grade: GRADES[index % GRADES.length] ?? GRADES[0],
    average: index === 0 ? null : 1.5 * index,
  };
}

function exam(size: number): Exam {
  const entries = Array.from({ length: size }, (_, index) => entry(index));
  return {
    id: 'E-1',
    key: '01234567-89ab-cdef-0123-456789abcdef',
    entries,
    tags: ['a', null, ''],
    paper: Uint8Array.of(0, 1, 254, 255),
    main: entries[0] ?? null,
    total: 9007199254740993n,
    ratio: Math.fround(0.1),
    closed: null,
  };
}

type Name = keyof ContractOperations;
type Handlers = {
  readonly [Each in Name]: (
    args: ContractOperations[Each]['parameters'],
  ) => Promise<ContractOperations[Each]['result']>;
};

/** Gives back what it gets. */
const echo = <T>({ v }: { readonly v: T }): Promise<T> => Promise.resolve(v);

const HANDLERS: Handlers = {
  EchoInt: echo,
  EchoLong: echo,
  EchoShort: echo,
  EchoByte: echo,
  EchoBool: echo,
  EchoDecimal: echo,
  EchoDouble: echo,
  EchoFloat: echo,
  EchoDateTime: echo,
  EchoGuid: echo,
  EchoChar: echo,
  EchoGrade: echo,
  EchoBytes: echo,
  EchoStrings: echo,
  EchoInts: echo,
  EchoMaybe: echo,
  EchoEntry: echo,
  EchoExam: echo,
  GetExam: ({ entries }) => Promise.resolve(exam(entries)),
  GetExams: ({ count }) => Promise.resolve(Array.from({ length: count }, (_, index) => exam(index))),
  Nothing: () => Promise.resolve(undefined),
};

/** The recorded service with an operation for each of ASMX's types. */
export const TYPES_ENDPOINT: EndpointDefinition = {
  description: readFileSync(join(PACKAGE_ROOT, 'test', 'reference', 'Types.wsdl'), 'utf8').replaceAll(
    '{host}',
    'localhost',
  ),
  dotNetNamespace: 'T',
  handlers: HANDLERS,
};
