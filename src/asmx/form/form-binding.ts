import {
  type BodyRefusal,
  type HttpResponse,
  findDecoder,
  type FormParameters,
  readFormParameters,
  readMediaType,
  TOO_MANY_PAIRS,
} from '../http';
import { formBusy, formError } from './form-result';
import type { Binding, OperationContract, Value } from '../contract';
import { errorMessages, type FormParameter, type ReadOutcome, type ServedOperation } from '../results';
import { ValueError } from '../types';

const NO_OPERATION = 'The endpoint has no operation of this name.';
const TOO_LONG = 'Maximum request length exceeded.';
/** What .NET says where it looks for the values of a list that has none. */
const NO_LIST = 'Object reference not set to an instance of an object.';
const FORM = 'application/x-www-form-urlencoded';

/** Reads a GET of `X.asmx/Op`: the query string alone carries the parameters. */
export function readQuery(operation: ServedOperation, query: string): ReadOutcome {
  return bind(operation, 'get', readFormParameters(takesAnything(operation) ? '' : query));
}

/** Reads a POST of `X.asmx/Op`: the form body alone carries the parameters. */
export function readForm(
  operation: ServedOperation,
  contentType: string | undefined,
  body: Buffer,
): ReadOutcome {
  if (takesAnything(operation)) return bind(operation, 'post', readFormParameters(''));
  const mediaType = readMediaType(contentType);
  if (mediaType.name !== FORM) {
    return {
      response: formError('The body is not a form.', `Request format is invalid: ${contentType ?? ''}.`),
    };
  }
  const decode = mediaType.charset === undefined ? undefined : findDecoder(mediaType.charset);
  const text = decode === undefined ? body.toString('utf8') : decode(body);
  return bind(operation, 'post', readFormParameters(text, decode));
}

// An operation without parameters takes any query, and any body of any type (wire contract, section 4).
function takesAnything({ contract }: ServedOperation): boolean {
  return contract.parameters.length === 0;
}

/** Answers a form whose body is over the limit, or finds no room. */
export function refuseForm(reason: BodyRefusal): HttpResponse {
  return reason === 'busy' ? formBusy() : formError(TOO_LONG, TOO_LONG);
}

/**
 * The error for an operation that an endpoint does not have; a name in the wrong case gets a hint.
 */
export function unknownOperation(name: string, operations: Iterable<OperationContract>): HttpResponse {
  for (const operation of operations) {
    if (operation.name.toLowerCase() !== name.toLowerCase()) continue;
    return formError(
      NO_OPERATION,
      `Invalid method name '${name}',  method names are case sensitive.   The method name '${operation.name}' with the same name but different casing was found.\r\nParameter name: methodName`,
    );
  }
  return formError(NO_OPERATION, `${name} Web Service method name is not valid.`);
}

function bind(
  operation: ServedOperation,
  binding: Extract<Binding, 'get' | 'post'>,
  form: FormParameters | undefined,
): ReadOutcome {
  if (form === undefined) return { response: formError(TOO_MANY_PAIRS, TOO_MANY_PAIRS) };
  const args: Record<string, Value> = {};
  for (const parameter of operation.formParameters) {
    const read = valueOf(parameter, form);
    if ('response' in read) return read;
    args[parameter.name] = read.value;
  }
  return { invocation: { operation, binding, args } };
}

/** A value, or the answer to a parameter that has none. */
type ValueReading = { readonly value: Value } | { readonly response: HttpResponse };

function valueOf(parameter: FormParameter, form: FormParameters): ValueReading {
  const { key, isList, isBinary } = parameter;
  const text = form.named.get(key);
  if (text === undefined) {
    const missing = isList ? NO_LIST : `Missing parameter: ${parameter.name}.`;
    return { response: formError(missing, missing) };
  }
  if (!isList) return readValue(parameter, text);
  const items: Value[] = [];
  for (const item of form.repeated?.get(key) ?? [text]) {
    const read = readValue(parameter, item);
    if ('response' in read) return read;
    items.push(read.value);
  }
  return { value: isBinary ? Uint8Array.from(items, Number) : items };
}

function readValue({ name, read, dotNet }: FormParameter, text: string): ValueReading {
  try {
    return { value: read(text) };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const reason = `Parameter ${name} is no ${dotNet}.`;
    const message = `Cannot convert ${text} to ${dotNet}.\r\nParameter name: type`;
    return { response: formError(reason, message, ...errorMessages(error)) };
  }
}
