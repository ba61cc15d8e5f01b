import {
  type AttemptedCall,
  type OperationContract,
  OperationFault,
  type OperationResult,
  RawResponse,
} from './contract/operation';
import type { Value } from './contract/values';
import { errorMessages } from './error-messages';
import { type FormParameters, readFormParameters, TOO_MANY_PAIRS } from './http/form-parameters';
import { readMediaType } from './http/media-type';
import type { BodyRefusal } from './http/request-body';
import { findDecoder } from './http/request-encoding';
import type { HttpResponse } from './http/response';
import {
  CACHE_ERROR,
  CACHE_RESULT,
  responseHeaders,
  RETRY_SOON,
  textHeaders,
  TOO_BUSY,
} from './http/response-headers';
import { resultWriter } from './results/result-writer';
import type { FormParameter, ReadOutcome, ServedOperation, UnreadCall } from './served-operation';
import { ValueError } from './types/value-error';
import { escapeAttribute } from './xml/xml-characters';

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\r\n';
// The order of 64-bit .NET (wire contract, section 2.4); the SOAP envelope uses the reverse order.
const SCHEMAS =
  ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const LAYOUT = { indent: '  ', newline: '\r\n' };
const XML_HEADERS = responseHeaders(CACHE_RESULT, 'text/xml; charset=utf-8');
const NOTHING: HttpResponse = { status: 200, headers: responseHeaders(CACHE_RESULT, undefined), body: '' };

/**
 * Prepares the writer of an operation's HTTP GET and POST answers (wire contract, section 2.4): the result
 * itself is the root, indented, with CRLF line ends.
 *
 * @param dotNetNamespace namespace of the service's own types
 */
export function formResultWriter(
  operation: OperationContract,
  namespace: string,
  dotNetNamespace: string | undefined,
): (result: OperationResult) => HttpResponse {
  const { result: declared } = operation;
  if (declared === undefined) return voidResponse;

  const { name } = declared.type;
  const xmlns = ` xmlns="${escapeAttribute(namespace)}"`;
  const write = resultWriter(
    operation.name,
    declared,
    {
      start: DECLARATION,
      end: '',
      name,
      declarations: { text: xmlns, schemas: SCHEMAS },
      layout: LAYOUT,
      none: `${DECLARATION}<${name}${SCHEMAS} xsi:nil="true"${xmlns} />`,
    },
    dotNetNamespace,
  );
  return (result) => ({ status: 200, headers: XML_HEADERS, ...write(result) });
}

function voidResponse(result: OperationResult): HttpResponse {
  if (!(result instanceof RawResponse)) return NOTHING;
  return {
    status: 200,
    headers: responseHeaders(CACHE_RESULT, result.contentType),
    body: result.body,
  };
}

/**
 * Returns the answer to an error found before the operation ran.
 *
 * @param reason for the log
 * @param messages for the caller; causes follow the outer error
 */
function formError(reason: string, ...messages: readonly string[]): HttpResponse {
  return { ...textResponse(messages, CACHE_ERROR), reason };
}

/** Returns the answer to an error thrown by a handler: messages only. */
export function formFailure(error: unknown): HttpResponse {
  return textResponse(error instanceof OperationFault ? [error.message] : errorMessages(error), CACHE_RESULT);
}

/** Returns the answer to a form for which there is no room at the moment. */
function formBusy(): HttpResponse {
  return {
    status: 503,
    headers: [...textHeaders(CACHE_ERROR), ...RETRY_SOON],
    body: `${TOO_BUSY}\r\n`,
    reason: TOO_BUSY,
  };
}

// The arrow between messages is not encoded (wire contract, section 4).
function textResponse(messages: readonly string[], cacheControl: string): HttpResponse {
  return {
    status: 500,
    headers: textHeaders(cacheControl),
    body: `${messages.map(htmlEncode).join(' ---> ')}\r\n`,
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * HTML-encodes text as ASP.NET's HtmlEncode does: the five markup characters, and U+00A0 to U+00FF as decimal
 * references; everything above stays raw (wire contract, section 4).
 */
function htmlEncode(text: string): string {
  return text.replace(
    /[&<>"'\u00a0-\u00ff]/g,
    (character) => ENTITIES[character] ?? `&#${String(character.charCodeAt(0))};`,
  );
}

const NO_OPERATION = 'The endpoint has no operation of this name.';
const TOO_LONG = 'Maximum request length exceeded.';
/** .NET's message when it looks for the values of a missing list. */
const NO_LIST = 'Object reference not set to an instance of an object.';
const FORM = 'application/x-www-form-urlencoded';

/** A call by GET or POST of `X.asmx/Op`: only the query string, or only the form body, carries parameters. */
export class FormCall implements UnreadCall {
  readonly #operation: ServedOperation;
  readonly #binding: 'get' | 'post';
  readonly #query: string;
  readonly #contentType: string | undefined;

  constructor(
    operation: ServedOperation,
    binding: 'get' | 'post',
    query: string,
    contentType: string | undefined,
  ) {
    this.#operation = operation;
    this.#binding = binding;
    this.#query = query;
    this.#contentType = contentType;
  }

  attempt(): AttemptedCall {
    return { operation: this.#operation.contract.name, bindings: [this.#binding] };
  }

  refuse(reason: BodyRefusal): HttpResponse {
    return reason === 'busy' ? formBusy() : formError(TOO_LONG, TOO_LONG);
  }

  read(body: Buffer): ReadOutcome {
    const operation = this.#operation;
    // An operation without parameters accepts any query, and any body of any type (wire contract, section 4).
    if (operation.contract.parameters.length === 0) return this.#bind(readFormParameters(''));
    return this.#binding === 'get' ? this.#bind(readFormParameters(this.#query)) : this.#readBody(body);
  }

  #readBody(body: Buffer): ReadOutcome {
    const mediaType = readMediaType(this.#contentType);
    if (mediaType.name !== FORM) {
      const message = `Request format is invalid: ${this.#contentType ?? ''}.`;
      return { response: formError('The body is not a form.', message) };
    }
    const decode = mediaType.charset === undefined ? undefined : findDecoder(mediaType.charset);
    const text = decode === undefined ? body.toString('utf8') : decode(body);
    return this.#bind(readFormParameters(text, decode));
  }

  #bind(form: FormParameters | undefined): ReadOutcome {
    if (form === undefined) return { response: formError(TOO_MANY_PAIRS, TOO_MANY_PAIRS) };
    const args: Record<string, Value> = {};
    for (const parameter of this.#operation.formParameters) {
      const read = readParameter(parameter, form);
      if ('response' in read) return read;
      args[parameter.name] = read.value;
    }
    return { invocation: { operation: this.#operation, binding: this.#binding, args } };
  }
}

/** Returns the error for an unknown operation; a name in the wrong case gets a hint. */
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

/** A value, or the answer to a parameter without one. */
type ValueReading = { readonly value: Value } | { readonly response: HttpResponse };

function readParameter(parameter: FormParameter, form: FormParameters): ValueReading {
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
