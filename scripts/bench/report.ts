import { markdownTable } from '../harness';
import { LOADS } from '../harness/load';
import { type Measurement, wholeCost } from './measure';
import { type TargetName, TARGETS } from './targets';

const MEBIBYTE = 1024 * 1024;

const HEAD = [
  'Load',
  'Target',
  'CPU µs a request',
  'median',
  'of bare `node:http`',
  'cheaper than node-soap',
  'requests/s',
  'core busy',
  'p50 ms',
  'p99 ms',
  'MiB',
];

/** The measurements as a table in Markdown, with the loads in their order. */
export function table(byLoad: ReadonlyMap<string, readonly Measurement[]>): string {
  const measured = [...byLoad].flatMap(([load, list]) => rows(load, list));
  return markdownTable(HEAD, measured, 2);
}

/** A column of the summary: its head, and what it holds of a load, undefined for nothing. */
type Column = readonly [head: string, cell: (of: Find) => string | undefined];
type Find = (target: TargetName) => Measurement | undefined;

const cost =
  (target: TargetName) =>
  (of: Find): string | undefined => {
    const own = of(target);
    return own && micros(own);
  };
const times =
  (measure: TargetName, target: TargetName) =>
  (of: Find): string | undefined =>
    ratio(of(measure), of(target));

const COLUMNS: readonly Column[] = [
  ['bare `node:http`', cost('bare')],
  ['node-soap on Express', cost('stock')],
  ['gSOAP', cost('gsoap')],
  ['SoapCore', cost('soapcore')],
  ['protocol only', cost('protocol')],
  ['of `EARLIER`', cost('earlier')],
  ['of gSOAP', times('gsoap', 'protocol')],
  ['of SoapCore', times('soapcore', 'protocol')],
  ['of bare', times('bare', 'protocol')],
  ['cheaper than node-soap', times('stock', 'protocol')],
  ['whole, SQLite', cost('sqlite')],
  ['`ACCESS_FILE` by network', cost('access-network')],
  ['by key', cost('access-key')],
  ['by Basic', cost('access-basic')],
  ['`PROCESSES=2`, one busy', cost('one-of-two')],
  ['both busy', cost('two-of-two')],
  ['passing on', cost('forwarded')],
  ['comparing', cost('shadow')],
  ['whole, PostgreSQL', cost('postgres')],
  ['with `--ended`, SQLite', cost('sqlite-ended')],
  ['of SQLite', times('sqlite-ended', 'sqlite')],
  ['with `--ended`, PostgreSQL', cost('postgres-ended')],
  ['of PostgreSQL', times('postgres-ended', 'postgres')],
];

/** Returns what one request costs, a row for each load; columns of what was not measured are left out. */
export function summary(byLoad: ReadonlyMap<string, readonly Measurement[]>): string {
  const finders = [...byLoad].map(([load, list]): readonly [string, Find] => [
    LOADS[load]?.title ?? load,
    (target) => list.find((each) => each.target === target),
  ]);
  const columns = COLUMNS.filter(([, cell]) => finders.some(([, of]) => cell(of) !== undefined));
  return markdownTable(
    ['CPU µs a request', ...columns.map(([head]) => head)],
    finders.map(([title, of]) => [title, ...columns.map(([, cell]) => cell(of) ?? '')]),
    1,
  );
}

/** Returns what a byte of two long lists costs; undefined where not both were measured. */
export function perByte(byLoad: ReadonlyMap<string, readonly Measurement[]>): string | undefined {
  const [students, records] = ['students-1000', 'records-1000'].map((load) => byLoad.get(load));
  if (students === undefined || records === undefined) return undefined;
  const rows = records.flatMap((record) => {
    const student = students.find(({ target }) => target === record.target);
    if (student === undefined) return [];
    const costs = [student, record].map(({ cpuMicros, answerBytes }) => (cpuMicros * 1000) / answerBytes);
    const [ofStudents = 0, ofRecords = 0] = costs;
    return [
      [
        TARGETS[record.target].title,
        ...costs.map((cost) => cost.toFixed(2)),
        (ofRecords / ofStudents).toFixed(2),
      ],
    ];
  });
  return markdownTable(['CPU ns a byte', '1,000 students', '1,000 mixed records', 'times'], rows, 1);
}

function rows(load: string, list: readonly Measurement[]): readonly (readonly string[])[] {
  const of = (name: TargetName): Measurement | undefined => list.find(({ target }) => target === name);
  return list.map((each) => {
    const { target, cpuMicros, requestsPerSecond, p50Micros, p99Micros, residentBytes } = each;
    return [
      LOADS[load]?.title ?? load,
      TARGETS[target].title,
      micros(each),
      each.medianMicros.toFixed(1),
      ratio(of('bare'), each) ?? '',
      target === 'bare' ? '' : (ratio(of('stock'), each) ?? ''),
      requestsPerSecond.toFixed(0),
      // Far from 100 %, something else was the limit: the generator, the disk, other programs.
      `${((cpuMicros * requestsPerSecond) / 10_000).toFixed(0)} %`,
      (p50Micros / 1000).toFixed(2),
      (p99Micros / 1000).toFixed(2),
      (residentBytes / MEBIBYTE).toFixed(0),
    ];
  });
}

function micros({ cpuMicros, databaseMicros }: Measurement): string {
  const database = databaseMicros > 0 ? ` + ${databaseMicros.toFixed(0)} in PostgreSQL` : '';
  return cpuMicros.toFixed(1) + database;
}

function ratio(other: Measurement | undefined, own: Measurement | undefined): string | undefined {
  return other === undefined || own === undefined
    ? undefined
    : (wholeCost(other) / wholeCost(own)).toFixed(2);
}
