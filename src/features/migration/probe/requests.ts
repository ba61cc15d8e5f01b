import * as z from 'zod';

import type { OperationContract } from '../../../asmx/internal';
import { OperatorError } from '../../../support/errors';
import { type Header, type HttpRequest, NO_BODY } from '../messages';
import {
  makeAction,
  callElement,
  envelope,
  form,
  parameterNames,
  pairsOf,
  type ProbedService,
  type SoapVersion,
  type Subject,
  type Values,
} from './subject';

/** Sets of parameter values by operation. */
export type SampleValues = Readonly<Record<string, readonly Values[]>>;

const SET = z.record(z.string(), z.string());
const FILE = z.record(z.string(), z.union([SET.transform((set) => [set]), z.array(SET).min(1)]));

/** Value of parameters without a given value. */
const PLACEHOLDER = '1';
const PLACEHOLDER_CHAR = 'Y';

/** Returns the sets of values of an operation: those of the file, or one of placeholders. */
export function chooseValues(
  samples: SampleValues,
  { name, parameters }: OperationContract,
): readonly Values[] {
  const placeholders = Object.fromEntries(
    parameters.map(({ name: one, type }) => [one, type.name === 'char' ? PLACEHOLDER_CHAR : PLACEHOLDER]),
  );
  const sets = Object.hasOwn(samples, name) ? (samples[name] ?? []) : [{}];
  return sets.map((set) => ({ ...placeholders, ...set }));
}

/**
 * Parses a file of values: a JSON object with a set of values, or a list of sets, for each operation.
 *
 * @param file - its name, for messages
 * @param onNote - called for operations that no service offers
 * @throws OperatorError for an invalid file, or an unknown parameter
 */
export function readValues(
  text: string,
  file: string,
  services: readonly ProbedService[],
  onNote: (note: string) => void,
): SampleValues {
  const read = FILE.safeParse(parsed(text, file));
  if (!read.success) {
    const { path, message } = read.error.issues[0] ?? { path: [], message: '' };
    throw new OperatorError(`${[file, ...path].join(' > ')}: ${message}`);
  }
  const operations = services.flatMap(({ contract }) => contract.operations);
  for (const [name, sets] of Object.entries(read.data)) {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) {
      onNote(`${file}: unknown operation ${name}.`);
      continue;
    }
    const names = parameterNames(operation);
    const unknown = sets.flatMap((set) => Object.keys(set)).find((key) => !names.includes(key));
    if (unknown !== undefined)
      throw new OperatorError(
        `${file}: unknown parameter ${unknown} of ${name}. Expected ${names.join(', ') || 'none'}.`,
      );
  }
  return read.data;
}

/** Returns a file of values to fill in, with every operation that has parameters. */
export function valuesTemplate(services: readonly ProbedService[]): string {
  const operations = services.flatMap(({ contract }) => contract.operations);
  const sets = operations
    .filter(({ parameters }) => parameters.length > 0)
    .map((operation) => [operation.name, chooseValues({}, operation)]);
  return `${JSON.stringify(Object.fromEntries(sets), null, 2)}\n`;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorError(`${file} is not valid JSON.`);
  }
}

/** A request of the probe, with a name for its special case. */
export type Probe = readonly [name: string, request: HttpRequest];

export const FORM = 'application/x-www-form-urlencoded';

/** Deviations of a SOAP request from the usual form. An `undefined` header is omitted. */
export interface SoapChoice {
  readonly contentType?: string | undefined;
  /** SOAPAction headers, verbatim. */
  readonly actions?: readonly string[];
  readonly body?: string | Buffer;
  /** Query to append to the path. */
  readonly query?: string;
}

/**
 * Returns a SOAP request as .NET's proxies send it (wire contract, section 9), with the chosen deviations.
 */
export function soapRequest(subject: Subject, version: SoapVersion, choice: SoapChoice = {}): HttpRequest {
  const action = makeAction(subject);
  const usual =
    version === 'soap11'
      ? 'text/xml; charset=utf-8'
      : `application/soap+xml; charset=utf-8; action="${action}"`;
  const contentType = 'contentType' in choice ? choice.contentType : usual;
  const actions = choice.actions ?? (version === 'soap11' ? [`"${action}"`] : []);
  const headers: Header[] = [
    ...(contentType === undefined ? [] : [['Content-Type', contentType] as const]),
    ...actions.map((value) => ['SOAPAction', value] as const),
  ];
  const body = choice.body ?? envelope(version, callElement(subject));
  return { method: 'POST', target: subject.path + (choice.query ?? ''), headers, body: Buffer.from(body) };
}

export function getRequest({ path }: Subject, name: string, query: string): HttpRequest {
  return request('GET', `${path}/${name}${query === '' ? '' : `?${query}`}`);
}

/** Returns a call by form. */
export function postRequest(
  { path }: Subject,
  name: string,
  body: string,
  contentType: string | undefined = FORM,
): HttpRequest {
  const headers: Header[] = contentType === '' ? [] : [['Content-Type', contentType]];
  return { method: 'POST', target: `${path}/${name}`, headers, body: Buffer.from(body, 'latin1') };
}

export function request(method: string, target: string): HttpRequest {
  return { method, target, headers: [], body: NO_BODY };
}

/** Returns the normal calls of an operation, over each binding that offers it. */
export function plainCalls(subject: Subject): readonly Probe[] {
  const { name, bindings } = subject.operation;
  const fields = form(pairsOf(subject));
  const calls: readonly Probe[] = [
    ['soap11', soapRequest(subject, 'soap11')],
    ['soap12', soapRequest(subject, 'soap12')],
    ['get', getRequest(subject, name, fields)],
    ['post', postRequest(subject, name, fields)],
  ];
  return calls.filter(([binding]) => [...bindings].some((offered) => offered === binding));
}
