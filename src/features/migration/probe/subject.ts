import { loadDescription, readContract } from '../../../asmx';
import {
  type OperationContract,
  type ServiceContract,
  SOAP11_ENVELOPE,
  SOAP12_ENVELOPE,
  type XmlAttributes,
  XmlReader,
} from '../../../asmx/internal';

/** Elements with which a description includes another document. */
const IMPORTS = ['import', 'include', 'redefine'];
const PLACES = ['location', 'schemaLocation'];

/** Thrown for a description that cannot be used, with the reason, and without its content. */
export class DescriptionError extends Error {
  override readonly name = 'DescriptionError';
}

/**
 * Reads the service description of another server. It is not trusted: it must have no document type
 * declaration, and must reference no other document, which would be fetched.
 *
 * @throws DescriptionError
 */
export async function readDescription(text: string): Promise<ServiceContract> {
  try {
    refuseImports(text);
    return readContract(await loadDescription(text));
  } catch (error) {
    if (error instanceof DescriptionError) throw error;
    throw new DescriptionError(error instanceof Error ? error.message : 'not readable.');
  }
}

function refuseImports(text: string): void {
  const ignore = (): void => undefined;
  const startElement = (local: string, _: string, attributes: XmlAttributes): void => {
    if (!IMPORTS.includes(local)) return;
    attributes.forEach((name) => {
      if (PLACES.includes(name)) throw new DescriptionError('it imports other documents.');
    });
  };
  new XmlReader({ startElement, endElement: ignore, characters: ignore, interruption: ignore }).read(text);
}

/** A service of the old server, from its description. */
export interface ProbedService {
  /** Path at which the description was requested: `/Scheduals.asmx`. */
  readonly path: string;
  readonly contract: ServiceContract;
}

/** Values by parameter name. A `char` is given as the character. */
export type Values = Readonly<Record<string, string>>;

/** An operation to generate requests for, with values for its parameters. */
export interface Subject {
  readonly path: string;
  readonly namespace: string;
  readonly operation: OperationContract;
  readonly values: Values;
}

export type SoapVersion = 'soap11' | 'soap12';

export const ENVELOPES: Readonly<Record<SoapVersion, string>> = {
  soap11: SOAP11_ENVELOPE,
  soap12: SOAP12_ENVELOPE,
};

export function makeAction({ namespace, operation }: Subject): string {
  return `${namespace.replace(/\/$/, '')}/${operation.name}`;
}

/** Returns the content of an operation's element: all parameters, or the given ones. */
export function parameterElements({ operation, values }: Subject, names = parameterNames(operation)): string {
  return names
    .map((name) => `<${name}>${escaped(soapValue(operation, name, values[name] ?? ''))}</${name}>`)
    .join('');
}

export function parameterNames({ parameters }: OperationContract): readonly string[] {
  return parameters.map(({ name }) => name);
}

/** Converts a value for SOAP, where a `char` is the number of its code unit. */
function soapValue({ parameters }: OperationContract, wanted: string, value: string): string {
  const isChar = parameters.some(({ name, type }) => name === wanted && type.name === 'char');
  return isChar && value !== '' ? String(value.charCodeAt(0)) : value;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}

/** Returns the operation's element with its parameters, or with other content. */
export function callElement(subject: Subject, content = parameterElements(subject)): string {
  const { name } = subject.operation;
  return `<${name} xmlns="${subject.namespace}">${content}</${name}>`;
}

export function envelope(
  version: SoapVersion,
  body: string,
  { encoding = 'utf-8', header = '', namespace = ENVELOPES[version] } = {},
): string {
  return `<?xml version="1.0" encoding="${encoding}"?>\
<soap:Envelope xmlns:soap="${namespace}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\
${header}<soap:Body>${body}</soap:Body></soap:Envelope>`;
}

/** Encodes names and values as a query or a form. */
export function form(pairs: readonly (readonly [name: string, value: string])[]): string {
  return pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

export function pairsOf(
  { operation, values }: Subject,
  names = parameterNames(operation),
): readonly (readonly [string, string])[] {
  return names.map((name) => [name, values[name] ?? '']);
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+');
}
