import { type Probe, request } from './requests';

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

/** What is asked of an endpoint beside calls: descriptions, pages, methods that it does not know. */
export function documentEdges(path: string, operations: readonly string[]): readonly Probe[] {
  return [
    ...QUERIES.map((query): Probe => [`GET${query === '' ? '' : ` ${query}`}`, request('GET', path + query)]),
    ...operations.map((name): Probe => [`GET ?op=${name}`, request('GET', `${path}?op=${name}`)]),
    [
      'GET in capitals ?WSDL',
      request('GET', `${path.replace(/(?<![^/])[^/]*$/, (file) => file.toUpperCase())}?WSDL`),
    ],
    ['HEAD ?WSDL', request('HEAD', `${path}?WSDL`)],
    ...METHODS.map((method): Probe => [method, request(method, path)]),
    ...operations.flatMap((name) =>
      METHODS.map((method): Probe => [`${method} ${name}`, request(method, `${path}/${name}`)]),
    ),
  ];
}
