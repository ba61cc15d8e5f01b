import { escapeXml } from '../../support/asmx-answers';
import {
  envelope,
  exchange,
  NAMESPACE,
  type RawRequest,
  type RawResponse,
  SOAP_11,
  SOAP_12,
  SOAP_XML,
  TEXT_XML,
} from '../../../scripts/harness';
import type { Arguments } from '../client';
import { type BindingName, type OperationName, OPERATIONS } from '../operations';

/** What one author of requests does otherwise than the contract's samples; each part is optional. */
export interface Manner {
  /** Attributes of a SOAP parameter's element. */
  readonly attributes?: string;
  /** Markup of a SOAP parameter that is left out. */
  readonly absent?: (name: string) => string;
  /** Content of the SOAP header. */
  readonly header?: string;
  /** A value in a query or form. */
  readonly encode?: (value: string) => string;
  /** Changes the finished request. */
  readonly change?: (request: RawRequest, action: string) => RawRequest;
  /** Sends it; on a connection of its own unless given. */
  readonly send?: (port: number, request: RawRequest) => Promise<RawResponse>;
}

export function sendByHand(
  port: number,
  binding: BindingName,
  operation: OperationName,
  args: Arguments,
  manner: Manner,
): Promise<RawResponse> {
  const { change, send = exchange } = manner;
  const request = REQUESTS[binding](operation, args, manner);
  return send(port, change === undefined ? request : change(request, actionOf(operation)));
}

type Writer = (operation: OperationName, args: Arguments, manner: Manner) => RawRequest;

/** The contract's sample messages: one per binding. */
const REQUESTS: Readonly<Record<BindingName, Writer>> = {
  'SOAP 1.1': (operation, args, manner) => ({
    path: pathOf(operation),
    headers: [
      ['Content-Type', TEXT_XML],
      ['SOAPAction', `"${actionOf(operation)}"`],
    ],
    body: envelope(SOAP_11, bodyElement(operation, args, manner), manner.header),
  }),
  'SOAP 1.2': (operation, args, manner) => ({
    path: pathOf(operation),
    headers: [['Content-Type', `${SOAP_XML}; action="${actionOf(operation)}"`]],
    body: envelope(SOAP_12, bodyElement(operation, args, manner), manner.header),
  }),
  'HTTP GET': (operation, args, manner) => {
    const query = formOf(operation, args, manner);
    return { path: `${pathOf(operation)}/${operation}${query === '' ? '' : `?${query}`}` };
  },
  'HTTP POST': (operation, args, manner) => ({
    path: `${pathOf(operation)}/${operation}`,
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: formOf(operation, args, manner),
  }),
};

function pathOf(operation: OperationName): string {
  return `/${OPERATIONS[operation].endpoint}.asmx`;
}

function actionOf(operation: OperationName): string {
  return `${NAMESPACE}${operation}`;
}

function bodyElement(
  operation: OperationName,
  args: Arguments,
  { attributes = '', absent = () => '' }: Manner,
): string {
  const elements = namedArguments(operation, args).map(([name, value]) => {
    if (value === null) return absent(name);
    const text = name === 'show_active' ? String(value.charCodeAt(0)) : escapeXml(value);
    return `<${name}${attributes}>${text}</${name}>`;
  });
  return `<${operation} xmlns="${NAMESPACE}">${elements.join('')}</${operation}>`;
}

function formOf(operation: OperationName, args: Arguments, { encode = encodeURIComponent }: Manner): string {
  return namedArguments(operation, args)
    .flatMap(([name, value]) => (value === null ? [] : `${name}=${encode(value)}`))
    .join('&');
}

function namedArguments(
  operation: OperationName,
  args: Arguments,
): readonly (readonly [name: string, value: string | null])[] {
  return OPERATIONS[operation].parameters.map((name, index) => [name, args[index] ?? null]);
}
