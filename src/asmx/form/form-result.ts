import { type OperationContract, OperationFault, type OperationResult, RawResponse } from '../contract';
import {
  type HttpResponse,
  responseHeaders,
  CACHE_RESULT,
  CACHE_ERROR,
  RETRY_SOON,
  textHeaders,
  TOO_BUSY,
} from '../http';
import { errorMessages, resultWriter } from '../results';
import { escapeAttribute } from '../xml';

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\r\n';
// The order of 64-bit .NET (wire contract, section 2.4); the SOAP envelope has them the other way round.
const SCHEMAS =
  ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const LAYOUT = { indent: '  ', newline: '\r\n' };
const XML_HEADERS = responseHeaders(CACHE_RESULT, 'text/xml; charset=utf-8');
const NOTHING: HttpResponse = { status: 200, headers: responseHeaders(CACHE_RESULT, undefined), body: '' };

/**
 * Prepares the writer of an operation's HTTP GET and POST answers (wire contract, section 2.4): the result
 * itself is the root, indented, with CRLF line ends.
 *
 * @param dotNetNamespace of the types that are the service's own
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
 * An error found before the operation ran.
 *
 * @param reason - for the log
 * @param messages - for the caller; inner ones follow the outer one
 */
export function formError(reason: string, ...messages: readonly string[]): HttpResponse {
  return { ...textResponse(messages, CACHE_ERROR), reason };
}

/** What a handler threw: messages only. */
export function formFailure(error: unknown): HttpResponse {
  return textResponse(error instanceof OperationFault ? [error.message] : errorMessages(error), CACHE_RESULT);
}

/** A form that there is no room for at the moment. */
export function formBusy(): HttpResponse {
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
export function htmlEncode(text: string): string {
  return text.replace(
    /[&<>"'\u00a0-\u00ff]/g,
    (character) => ENTITIES[character] ?? `&#${String(character.charCodeAt(0))};`,
  );
}
