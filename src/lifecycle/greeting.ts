/** A call to try: what it takes and where it goes. */
export interface ExampleCall {
  /** Path of the endpoint. */
  readonly path: string;
  readonly operation: string;
  readonly parameter: string;
  readonly value: string;
}

export interface Greeting {
  readonly services: readonly { readonly name: string; readonly path: string }[];
  /** Where callers reach the service, without a slash at the end. */
  readonly address: string;
  readonly namespace: string;
  readonly example: ExampleCall;
  /** Where the operator reaches the metrics, or undefined. */
  readonly adminAddress: string | undefined;
}

const ENVELOPES = {
  'SOAP 1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  'SOAP 1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const;

/** What a person who has started the service in a terminal wants to know: where it is, and how to try it. */
export function greeting(content: Greeting): string {
  const { services, address, adminAddress } = content;
  const width = Math.max(...services.map(({ name }) => name.length));
  return [
    `The service listens on ${address}`,
    ...services.map(({ name, path }) => `  ${name.padEnd(width)}  ${address}${path}`),
    ...(services.length === 0
      ? ['It delivers messages, and answers no operations (ROLE=worker).']
      : tries(content)),
    adminAddress === undefined
      ? 'The operator’s pages are off.'
      : `Metrics for the operator: ${adminAddress}/metrics`,
    'Stop it with Ctrl-C.',
  ].join('\n');
}

function tries(content: Greeting): readonly string[] {
  const lines = tryLines(content).map(([binding, line]) => `  ${binding.padEnd(8)}  ${line}`);
  return ['Try it, binding by binding:', ...lines];
}

/** One command per binding, ready for a shell. */
function tryLines({ address, namespace, example }: Greeting): readonly (readonly [string, string])[] {
  const { path, operation, parameter, value } = example;
  const endpoint = `${address}${path}`;
  const action = `${namespace.replace(/\/$/, '')}/${operation}`;
  const envelope = (version: keyof typeof ENVELOPES): string =>
    `<s:Envelope xmlns:s="${ENVELOPES[version]}"><s:Body><${operation} xmlns="${namespace}">` +
    `<${parameter}>${value}</${parameter}></${operation}></s:Body></s:Envelope>`;
  return [
    ['GET', `curl '${endpoint}/${operation}?${parameter}=${value}'`],
    ['POST', `curl -d '${parameter}=${value}' '${endpoint}/${operation}'`],
    [
      'SOAP 1.1',
      `curl -H 'Content-Type: text/xml; charset=utf-8' -H 'SOAPAction: "${action}"' ` +
        `-d '${envelope('SOAP 1.1')}' '${endpoint}'`,
    ],
    [
      'SOAP 1.2',
      `curl -H 'Content-Type: application/soap+xml; charset=utf-8' -d '${envelope('SOAP 1.2')}' '${endpoint}'`,
    ],
  ];
}
