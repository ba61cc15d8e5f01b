/** The ways into an operation. */
export type Binding = 'soap11' | 'soap12' | 'get' | 'post';

export const BINDING_TITLES: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'GET',
  post: 'POST',
};

/** An operation with a place for one value. */
export interface Call {
  readonly path: string;
  readonly operation: string;
  /** The parameters as they stand on the wire. */
  readonly parameters: (value: string, binding: Binding) => Parameters;
}

type Parameters = Readonly<Record<string, string>>;

/** What goes out before and after the value. */
export interface Parts {
  readonly before: string;
  readonly after: string;
}

/** A text with a place for the value. */
type Template = (value: string) => string;

const NAMESPACE = 'http://tempuri.org/';

/** Each returns the parts of a request for values as long as the sample. */
const WRITERS: Readonly<Record<Binding, (call: Call, sample: string) => Parts>> = {
  soap11: ({ path, operation, parameters }, sample) => {
    const headers = ['Content-Type: text/xml; charset=utf-8', `SOAPAction: "${NAMESPACE}${operation}"`];
    const body: Template = (value) =>
      envelope('http://schemas.xmlsoap.org/soap/envelope/', operation, parameters(value, 'soap11'));
    return post(path, headers, body, sample);
  },
  soap12: ({ path, operation, parameters }, sample) => {
    const headers = [`Content-Type: application/soap+xml; charset=utf-8; action="${NAMESPACE}${operation}"`];
    const body: Template = (value) =>
      envelope('http://www.w3.org/2003/05/soap-envelope', operation, parameters(value, 'soap12'));
    return post(path, headers, body, sample);
  },
  get: ({ path, operation, parameters }) =>
    splitAtValue(
      (value) =>
        `GET ${path}/${operation}?${pairs(parameters(value, 'get'))} HTTP/1.1\r\nHost: bench\r\n\r\n`,
    ),
  post: ({ path, operation, parameters }, sample) => {
    const headers = ['Content-Type: application/x-www-form-urlencoded'];
    return post(`${path}/${operation}`, headers, (value) => pairs(parameters(value, 'post')), sample);
  },
};

/** A request of a binding, for values as long as the sample. */
export function requestParts(binding: Binding, call: Call, sample: string): Parts {
  return WRITERS[binding](call, sample);
}

/** As .NET proxies write it. */
function envelope(namespace: string, operation: string, parameters: Parameters): string {
  const values = Object.entries(parameters).map(([name, value]) => `<${name}>${value}</${name}>`);
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${namespace}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">` +
    `<soap:Body><${operation} xmlns="${NAMESPACE}">${values.join('')}</${operation}></soap:Body></soap:Envelope>`
  );
}

function pairs(parameters: Parameters): string {
  return Object.entries(parameters)
    .map((pair) => pair.join('='))
    .join('&');
}

function post(path: string, headers: readonly string[], body: Template, sample: string): Parts {
  const length = String(body(sample).length);
  const head = [`POST ${path} HTTP/1.1`, 'Host: bench', ...headers, `Content-Length: ${length}`].join('\r\n');
  return splitAtValue((value) => `${head}\r\n\r\n${body(value)}`);
}

function splitAtValue(request: Template): Parts {
  const [before = '', after = ''] = request('\0').split('\0');
  return { before, after };
}
