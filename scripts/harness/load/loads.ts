import type { Binding } from '../../../src/asmx';
import { BINDING_TITLES, formatRequest, request } from '..';
import { PUPIL_LISTS, pupilNumber, PUPILS } from './pupil-data';
import { BENCH_STUDENTS, deviceName, schoolsWith, tokenOf } from './school-data';

/** One request, and what its answer must hold. */
export interface Case {
  /** Goes into the request in the place of the variable part. */
  readonly value: string;
  /** Stands in the body of the answer, near its end; of one length in all cases of a load. */
  readonly expected: string;
}

export interface Load {
  readonly title: string;
  /** Holds what goes out before and after the value of the case; the Content-Length fits values of one width. */
  readonly before: string;
  readonly after: string;
  /** The case of the n-th request; cases of neighbouring requests differ. */
  readonly caseOf: (n: number) => Case;
  /** Records that the answer must hold, or undefined where it is no list. */
  readonly records: number | undefined;
  /**
   * Names the servers that can be asked so: another library, too; ours alone; or ours where it serves what only the
   * bench asks for.
   */
  readonly servers: 'all' | 'ours' | 'protocol';
  /** Callers at a time, in the bench. */
  readonly connections: number;
}

/** An operation with a place for one value. */
interface Call {
  readonly endpoint: string;
  readonly operation: string;
  /** The parameters as they stand on the wire. */
  readonly parameters: (value: string, binding: Binding) => Readonly<Record<string, string>>;
}

const CONNECTIONS = 16;
/** A school's parents ask for their codes at once; and a server that waits for the disk can serve others meanwhile. */
const CONNECTIONS_FOR_CODES = 64;

const TOKEN: Call = {
  endpoint: 'PushNotificationMobile',
  operation: 'GetTokenDevice',
  parameters: (id) => ({ id }),
};
const LIST: Call = {
  endpoint: 'NotificationNotes',
  operation: 'GetStudentSchool',
  // Over SOAP .NET sends a character as its number.
  parameters: (school, binding) => ({
    school_base_url: school,
    show_active: binding === 'soap11' || binding === 'soap12' ? '89' : 'Y',
  }),
};
const CODE: Call = {
  endpoint: 'AuthCodeSending',
  operation: 'AuthCode',
  parameters: (phone) => ({ code: '482913', phone }),
};

const PUPIL_LIST: Call = {
  endpoint: 'BenchRecords',
  operation: 'GetPupils',
  parameters: (school) => ({ school }),
};

/** Coprime to the number of devices: every device is asked for before one comes again. */
const STRIDE = 7919;

/** Returns what the bench measures in databases with this number of students. */
export function loadsAmong(students: number): Readonly<Record<string, Load>> {
  return {
    'token-soap11': tokenLoad('soap11', students),
    'token-soap12': tokenLoad('soap12', students),
    'token-get': tokenLoad('get', students),
    'token-post': tokenLoad('post', students),
    'students-30': listLoad(30, 'soap11'),
    'students-1000': listLoad(1_000, 'soap11'),
    'records-1000': recordLoad(),
    'auth-code': codeLoad(),
  };
}

/** Returns what the bench measures in databases that hold the bench's schools alone. */
export const LOADS = loadsAmong(BENCH_STUDENTS);

/** The token of one device after the other. */
export function tokenLoad(binding: Binding, students = BENCH_STUDENTS): Load {
  return loadOf('token', binding, TOKEN, (n) => {
    const device = deviceName((n * STRIDE) % students);
    return { value: device, expected: tokenOf(device) };
  });
}

/** The lists of the schools of one size, which is one of those that the school data has. */
export function listLoad(size: number, binding: Binding): Load {
  const cases = schoolsWith(size).map(({ url, students }): Case => ({
    value: url,
    expected: `${students.at(-1)?.device ?? ''}<`,
  }));
  const load = loadOf(`${size.toLocaleString('en')} students`, binding, LIST, (n) => itemAt(cases, n));
  return { ...load, records: size };
}

/** Lists of records of ten fields, each of another type. */
function recordLoad(): Load {
  const cases = PUPIL_LISTS.map((value, list): Case => ({
    value,
    expected: `${String(pupilNumber(list, PUPILS - 1))}<`,
  }));
  const title = `${PUPILS.toLocaleString('en')} mixed records`;
  const load = loadOf(title, 'soap11', PUPIL_LIST, (n) => itemAt(cases, n));
  return { ...load, records: PUPILS, servers: 'protocol' };
}

/** Codes for phones, each with a number of its own for a day of running. */
export function codeLoad(): Load {
  const load = loadOf('AuthCode', 'soap11', CODE, (n) => ({
    value: `+905${String(n % 1_000_000_000).padStart(9, '0')}`,
    expected: 'AuthCodeResponse',
  }));
  return { ...load, connections: CONNECTIONS_FOR_CODES };
}

function loadOf(title: string, binding: Binding, call: Call, caseOf: Load['caseOf']): Load {
  return {
    title: `${title}, ${BINDING_TITLES[binding]}`,
    ...requestAround(caseOf(0).value, binding, call),
    caseOf,
    records: undefined,
    servers: binding === 'get' || binding === 'post' ? 'ours' : 'all',
    connections: CONNECTIONS,
  };
}

/** Returns what goes out before and after a value as long as the sample. */
function requestAround(
  sample: string,
  binding: Binding,
  { endpoint, operation, parameters }: Call,
): Pick<Load, 'before' | 'after'> {
  const whole = request(binding, endpoint, operation, parameters(sample, binding));
  const parts = formatRequest({ ...whole, keepAlive: true }, 'bench')
    .toString('latin1')
    .split(sample);
  const [before = '', after = ''] = parts;
  if (parts.length !== 2) throw new Error(`${operation} has not one place for a value.`);
  return { before, after };
}

/** Begins again where the list ends. */
function itemAt<T>(list: readonly T[], n: number): T {
  const item = list[n % list.length];
  if (item === undefined) throw new Error('An empty list has no items.');
  return item;
}
