// What the types of the wire contract, section 8, are in TypeScript.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { contractTypes, loadDescription, readContract } from '../../src/asmx';
import type { ServiceContract } from '../../src/asmx/internal';
import { PACKAGE_ROOT, readDescription } from '../../scripts/harness';

const contractOf = async (description: string): Promise<ServiceContract> =>
  readContract(await loadDescription(description));
const TYPES = readFileSync(join(PACKAGE_ROOT, 'test/reference/Types.wsdl'), 'utf8');

/** The lines of a module that hold one of these. */
const linesWith = (module: string, ...texts: readonly string[]): readonly string[] =>
  module.split('\n').filter((line) => texts.some((text) => line.includes(text)));

describe('the TypeScript types of a contract', () => {
  it('contain the parameters and result of every operation', async () => {
    const module = contractTypes([await contractOf(TYPES)], 'a-library');
    expect(module).toMatch(/^import type \{ DateTime \} from 'a-library';\n/);
    expect(
      [
        ...module.matchAll(/^"Echo(\w+)": \{ parameters: Readonly<\{ "v": (.*); \}>; result: (.*) \};$/gm),
      ].map(([, name, parameter, result]) => [name, parameter, parameter === result]),
    ).toEqual([
      ['Int', 'number', true],
      ['Long', 'bigint', true],
      ['Short', 'number', true],
      ['Byte', 'number', true],
      ['Bool', 'boolean', true],
      ['Decimal', 'string', true],
      ['Double', 'number', true],
      ['Float', 'number', true],
      ['DateTime', 'DateTime', true],
      ['Guid', 'string', true],
      ['Char', 'string', true],
      ['Grade', 'Grade', true],
      ['Bytes', 'Uint8Array | null', true],
      ['Strings', 'readonly (string | null)[] | null', true],
      ['Ints', 'readonly (number)[] | null', true],
      ['Maybe', 'number | null', true],
      ['Entry', 'Entry | null', true],
      ['Exam', 'Exam | null', true],
    ]);
    expect(linesWith(module, '"Nothing": { p', '"GetExams": { p')).toEqual([
      '"GetExams": { parameters: Readonly<{ "count": number; }>; result: readonly (Exam | null)[] | null };',
      '"Nothing": { parameters: Readonly<{ "a": number; "b": boolean; }>; result: undefined };',
    ]);
  });

  it('declare each enumeration and record once, before its first use', async () => {
    const module = contractTypes([await contractOf(TYPES)], 'a-library');
    expect(linesWith(module, 'export type')).toEqual([
      'export type Grade = "Low" | "Middle" | "High";',
      'export type Entry = Readonly<{ "number": number; "subject": string | null; "date": DateTime; "minutes": number; "weight": string; "oral": boolean; "grade": Grade; "average": number | null; }>;',
      'export type Exam = Readonly<{ "id": string | null; "key": string; "entries": readonly (Entry | null)[] | null; "tags": readonly (string | null)[] | null; "paper": Uint8Array | null; "main": Entry | null; "total": bigint; "ratio": number; "closed": DateTime | null; }>;',
    ]);
  });

  it('contain the service of each operation and the names of its parameters', async () => {
    const contracts = [await contractOf(readDescription('NotificationNotes')), await contractOf(TYPES)];
    expect(linesWith(contractTypes(contracts, ''), 'SendMarkNotes": { s', 'Nothing": { s')).toEqual([
      '"SendMarkNotes": { service: "NotificationNotes", parameters: ["id", "id_class", "baseUrlSchool"] },',
      '"Nothing": { service: "Types", parameters: ["a", "b"] },',
    ]);
  });

  it('are rejected if two services use one name for different things', async () => {
    const one = await contractOf(TYPES);
    expect(() => contractTypes([one, one], '')).toThrow('More than one service has an operation EchoInt.');
    const other = await contractOf(
      TYPES.replaceAll('EchoGrade', 'OtherGrade').replace('value="Middle"', 'value="Medium"'),
    );
    const only = (name: string, contract: ServiceContract): ServiceContract => ({
      ...contract,
      operations: contract.operations.filter((operation) => operation.name === name),
    });
    expect(() => contractTypes([only('EchoGrade', one), only('OtherGrade', other)], '')).toThrow(
      'Two services have different types named Grade.',
    );
  });

  it('have valid TypeScript names', async () => {
    const module = contractTypes([await contractOf(TYPES.replaceAll(/\bGrade"/g, 'Gr-ade"'))], '');
    expect(linesWith(module, 'Gr_ade = ')).toEqual(['export type Gr_ade = "Low" | "Middle" | "High";']);
  });
});
