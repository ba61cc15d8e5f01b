import { escapeXml } from '../../harness/asmx-answers';
import {
  envelope11,
  envelope12,
  exchange,
  form,
  get,
  NAMESPACE,
  type RawRequest,
  type RawResponse,
  soap11,
  soap12,
} from '../../../scripts/harness';
import type { Binding } from '../../../src/asmx';
import type { DescribedOperation } from '../../harness/contract-operations';
import type { Arguments } from '../client';

/** Describes what one author of requests does otherwise than the contract's samples; each part is optional. */
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
  binding: Binding,
  operation: DescribedOperation,
  args: Arguments,
  manner: Manner,
): Promise<RawResponse> {
  const { change, send = exchange } = manner;
  const request = writeByHand(binding, operation, args, manner);
  return send(port, change === undefined ? request : change(request, actionOf(operation)));
}

/** A call as the contract's samples show it, but for the manner. */
export function writeByHand(
  binding: Binding,
  operation: DescribedOperation,
  args: Arguments,
  manner: Manner = {},
): RawRequest {
  return REQUESTS[binding](operation, args, manner);
}

type Writer = (operation: DescribedOperation, args: Arguments, manner: Manner) => RawRequest;

/** The contract's sample messages: one per binding. */
const REQUESTS: Readonly<Record<Binding, Writer>> = {
  soap11: (operation, args, manner) =>
    soap11(
      operation.endpoint,
      operation.name,
      envelope11(bodyElement(operation, args, manner), manner.header),
    ),
  soap12: (operation, args, manner) => {
    const body = envelope12(bodyElement(operation, args, manner), manner.header);
    return soap12(operation.endpoint, body, `; action="${actionOf(operation)}"`);
  },
  get: (operation, args, manner) => get(operation.endpoint, operation.name, formOf(operation, args, manner)),
  post: (operation, args, manner) =>
    form(operation.endpoint, operation.name, formOf(operation, args, manner)),
};

function actionOf({ name }: DescribedOperation): string {
  return `${NAMESPACE}${name}`;
}

function bodyElement(
  operation: DescribedOperation,
  args: Arguments,
  { attributes = '', absent = () => '' }: Manner,
): string {
  const elements = operation.parameters.map(({ name, type }, index) => {
    const value = args[index] ?? null;
    if (value === null) return absent(name);
    const text = type.name === 'char' ? String(value.charCodeAt(0)) : escapeXml(value);
    return `<${name}${attributes}>${text}</${name}>`;
  });
  return `<${operation.name} xmlns="${NAMESPACE}">${elements.join('')}</${operation.name}>`;
}

function formOf(
  { parameters }: DescribedOperation,
  args: Arguments,
  { encode = encodeURIComponent }: Manner,
): string {
  return parameters
    .flatMap(({ name }, index) => {
      const value = args[index] ?? null;
      return value === null ? [] : `${name}=${encode(value)}`;
    })
    .join('&');
}
