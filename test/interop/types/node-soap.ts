import { isDeepStrictEqual } from 'node:util';

import { createClientAsync } from 'soap';

import { VERSIONS } from '../clients/node-soap';
import type { TypeCheck, TypesCaller } from './type-check';

const ENTRY = {
  attributes: { number: '-3' },
  subject: 'Türkçe <&>',
  date: new Date('2026-11-22T08:30:00.123Z'),
  minutes: 40,
  weight: 0.1,
  oral: true,
  grade: 'Middle',
  average: 1.5,
};
/** Holds what .NET's value types are when nothing was sent. */
const EMPTY_ENTRY = {
  attributes: { number: '0' },
  date: new Date('0001-01-01T00:00:00Z'),
  minutes: 0,
  weight: 0,
  oral: false,
  grade: 'Low',
};

const exam = (entries: number): object => ({
  id: 'E-1',
  key: '01234567-89ab-cdef-0123-456789abcdef',
  ...(entries > 0 && { entries: { Entry: Array.from({ length: entries }, () => ENTRY) } }),
  tags: { string: ['a', 'b'] },
  paper: 'AAH+/w==',
  main: ENTRY,
  total: Number.MAX_SAFE_INTEGER,
  ratio: 0.5,
  closed: new Date('2026-11-22T08:30:00Z'),
});

/**
 * Values that the package can give back: its numbers have 53 bits, its dates milliseconds, blanks at the ends of texts are
 * gone, and an empty list or text is null to it.
 */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  EchoInt: [0, -1, -(2 ** 31), 2 ** 31 - 1],
  EchoLong: [0, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  EchoShort: [0, -(2 ** 15), 2 ** 15 - 1],
  EchoByte: ['0', '255'],
  EchoBool: [true, false],
  EchoDecimal: [0, 0.1, -1.5],
  EchoDouble: [0.1, -1.5e-7, 1e21, Number.MAX_VALUE, Number.MIN_VALUE],
  EchoFloat: [0.5, -1.5],
  EchoDateTime: [ENTRY.date, EMPTY_ENTRY.date, new Date('9999-12-31T23:59:59Z')],
  EchoGuid: ['01234567-89ab-cdef-0123-456789abcdef'],
  EchoChar: ['65', '351', '65533'],
  EchoGrade: ['Low', 'Middle', 'High'],
  EchoBytes: ['AAH+/w=='],
  EchoStrings: [{ string: ['a'] }, { string: Array.from({ length: 1000 }, () => 'ş <&>]]>"') }],
  EchoInts: [{ int: [7] }, { int: Array.from({ length: 1000 }, (_, index) => index - 500) }],
  EchoMaybe: [null, 0, -5],
  EchoEntry: [ENTRY],
  EchoExam: [exam(0), exam(1), exam(1000)],
};

type Call = (operation: string, args: object) => Promise<unknown>;

/** The package `soap`, which builds its calls from the description at run time. */
export const nodeSoapTypes: TypesCaller = {
  check: async (address, binding) => {
    const version = VERSIONS.find((each) => each.binding === binding);
    if (version === undefined) throw new Error(`The package has no port for ${binding}`);
    const client = await createClientAsync(`${address}?WSDL`, { ...version.options, disableCache: true });
    const call: Call = (operation, args) =>
      new Promise((resolve, reject) => {
        // The package makes a port's methods from the description; its types know none of them.
        const methods = (client as unknown as { Types: Record<string, Record<string, Method | undefined>> })
          .Types[`Types${version.port}`];
        // It reads dates, and writes none.
        methods?.[operation]?.(JSON.parse(JSON.stringify(args)) as object, (error, result) => {
          if (error === null) resolve((result as Record<string, unknown> | null)?.[`${operation}Result`]);
          else reject(error);
        });
      });
    const checks: TypeCheck[] = [];
    for (const [operation, values] of Object.entries(VALUES)) {
      for (const value of values)
        checks.push(await checkOf(operation, { v: value }, value ?? undefined, call));
    }
    checks.push(await checkOf('EchoEntry', { v: {} }, EMPTY_ENTRY, call));
    checks.push(await checkOf('Nothing', { a: 1, b: true }, undefined, call));
    return checks;
  },
};

type Method = (args: object, callback: (error: Error | null, result: unknown) => void) => void;

async function checkOf(operation: string, args: object, expected: unknown, call: Call): Promise<TypeCheck> {
  const what = `${operation} ${JSON.stringify(args).slice(0, 60)}`;
  try {
    const actual = await call(operation, args);
    if (isDeepStrictEqual(actual, expected)) return { what, failure: undefined };
    return { what, failure: `${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}` };
  } catch (error) {
    return { what, failure: String(error) };
  }
}
