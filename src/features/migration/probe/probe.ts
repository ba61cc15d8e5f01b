import { PROBE_AGENT } from '../../../telemetry';
import type { Recorded } from '../traffic/traffic';
import {
  FORM,
  getRequest,
  plainCalls,
  postRequest,
  type Probe,
  request,
  type SampleValues,
  chooseValues,
} from './requests';
import { soapEdges } from './soap-edges';
import { form, parameterNames, pairsOf, type ProbedService, type Subject } from './subject';

const QUERIES = [
  ...[
    '',
    '?WSDL',
    '?wsdl',
    '?WSDL&x=1',
    '?wsdl=',
    '?wsdl=1',
    '?wsdl&disco',
    '?disco',
    '?DISCO',
    '?schema',
    '?schema=a',
  ],
  ...['?foo', '?op=', '?op=NoSuchOperation', '?xsd=xsd0', '?singleWsdl'],
];
const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'get'];

/** Returns requests other than calls: descriptions, pages, and unknown methods. */
function documentEdges(path: string, operations: readonly string[]): readonly Probe[] {
  return [
    ...QUERIES.map((query): Probe => [`GET${query === '' ? '' : ` ${query}`}`, request('GET', path + query)]),
    ...operations.map((name): Probe => [`GET ?op=${name}`, request('GET', `${path}?op=${name}`)]),
    [
      'GET ?WSDL, upper-case path',
      request('GET', `${path.replace(/(?<![^/])[^/]*$/, (file) => file.toUpperCase())}?WSDL`),
    ],
    ['HEAD ?WSDL', request('HEAD', `${path}?WSDL`)],
    ...METHODS.map((method): Probe => [method, request(method, path)]),
    ...operations.flatMap((name) =>
      METHODS.map((method): Probe => [`${method} ${name}`, request(method, `${path}/${name}`)]),
    ),
  ];
}

/**
 * Returns calls by query and by form at the limits of what a server accepts (wire contract, sections 1 and
 * 4).
 */
function formEdges(subject: Subject): readonly Probe[] {
  const { name } = subject.operation;
  const usual = form(pairsOf(subject));
  return [
    ...fieldEdges(subject).flatMap(([what, fields]): Probe[] => [
      [`get ${what}`, getRequest(subject, name, fields)],
      [`post ${what}`, postRequest(subject, name, fields)],
    ]),
    ...TYPES.map(([what, type]): Probe => [`post ${what}`, postRequest(subject, name, usual, type)]),
    ['post in JSON', postRequest(subject, name, JSON.stringify(subject.values), 'application/json')],
    ['post with a query', postRequest(subject, `${name}?${usual}`, usual)],
    ...[name.toLowerCase(), `${name}/`, `${name}/x`, `${name}%20`, 'NoSuchOperation', '', 'js'].flatMap(
      (other): Probe[] => [
        [`get of "${other}"`, getRequest(subject, other, usual)],
        [`post of "${other}"`, postRequest(subject, other, usual)],
      ],
    ),
  ];
}

/** An empty type omits the header. */
const TYPES: readonly (readonly [string, string])[] = [
  ['without a type', ''],
  ['with a charset', `${FORM}; charset=iso-8859-9`],
  ['with an unknown charset', `${FORM}; charset=no-such-charset`],
  ['of type text/plain', 'text/plain'],
  ['of type text/xml', 'text/xml; charset=utf-8'],
  ['of type multipart/form-data', 'multipart/form-data; boundary=a'],
];

function fieldEdges(subject: Subject): readonly (readonly [string, string])[] {
  const names = parameterNames(subject.operation);
  const all = form(pairsOf(subject));
  return [
    ...names.flatMap((name): (readonly [string, string])[] => {
      const others = pairsOf(
        subject,
        names.filter((other) => other !== name),
      );
      const raw = (value: string) =>
        [form(others), `${name}=${value}`].filter((part) => part !== '').join('&');
      return [
        [`without ${name}`, form(others)],
        [`with an empty ${name}`, raw('')],
        [`with ${name} without a sign`, [form(others), name].filter((part) => part !== '').join('&')],
        [`with ${name} in %u escapes`, raw('%u015F%u00fc')],
        [`with ${name} in UTF-8`, raw('%C5%9F+a')],
        [`with ${name} in iso-8859-9`, raw('%FE')],
        [`with a broken escape in ${name}`, raw('%zz%4')],
        [`with markup in ${name}`, raw('%3Ca%3E%26%22')],
      ];
    }),
    ['without parameters', ''],
    ['with names in upper case', form(pairsOf(subject).map(([name, value]) => [name.toUpperCase(), value]))],
    ['with parameters twice', [all, all].join('&')],
    ['with parameters in another order', form([...pairsOf(subject)].reverse())],
    ['with an unknown parameter', [all, 'noSuchParameter=1'].join('&')],
    ['with empty pairs', `&&${all}&=&`],
  ];
}

/**
 * Generates traffic from descriptions: every operation over every binding with each set of values; then, with
 * the first set, edge cases of what a server accepts, and the documents of each endpoint.
 */
export function* probe(services: readonly ProbedService[], samples: SampleValues): Generator<Recorded> {
  for (const { path, contract } of services) {
    for (const operation of contract.operations) {
      const subjects = chooseValues(samples, operation).map((values): Subject => ({
        path,
        namespace: contract.namespace,
        operation,
        values,
      }));
      for (const [index, subject] of subjects.entries())
        yield* recorded(`${operation.name} ${String(index + 1)}`, plainCalls(subject));
      const [first] = subjects;
      if (first !== undefined) yield* recorded(operation.name, [...soapEdges(first), ...formEdges(first)]);
    }
    yield* recorded(
      path,
      documentEdges(
        path,
        contract.operations.map(({ name }) => name),
      ),
    );
  }
}

function* recorded(of: string, probes: readonly Probe[]): Generator<Recorded> {
  for (const [name, { headers, ...request }] of probes)
    yield {
      request: { ...request, headers: [['User-Agent', PROBE_AGENT], ...headers] },
      source: `probe: ${of} ${name}`,
    };
}
