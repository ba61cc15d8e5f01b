import { type HttpResponse, responseHeaders, CACHE_RESULT } from '../http';
import { listWriter, requireList, requireString } from '../results';
import type { OperationContract, OperationResult } from '../contract';
import { ENVELOPE_END, envelopeStart, type SoapVersion } from './soap-version';
import { escapeAttribute, escapeText } from '../xml';

const PLAIN = { itemIndent: '', fieldIndent: '', newline: '' };

/**
 * Prepares the writer of an operation's SOAP answers (wire contract, section 2.3): everything but the values
 * is put together once.
 */
export function soapResultWriter(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
): (result: OperationResult) => HttpResponse {
  const headers = responseHeaders(CACHE_RESULT, version.contentType);
  const open = `${envelopeStart(version)}<${operation.responseElement} xmlns="${escapeAttribute(namespace)}"`;
  const close = `</${operation.responseElement}>${ENVELOPE_END}`;
  const response = (body: string): HttpResponse => ({ status: 200, headers, body });
  const empty = response(`${open} />${ENVELOPE_END}`);
  const { result: declared } = operation;
  if (declared.kind === 'none') return () => empty;

  const { element } = declared;
  const emptyElement = response(`${open}><${element} />${close}`);
  const start = `${open}><${element}>`;
  const end = `</${element}>${close}`;
  if (declared.kind === 'string') {
    return (result) => {
      const text = requireString(operation.name, result);
      if (text === null) return empty;
      return text === '' ? emptyElement : response(start + escapeText(text) + end);
    };
  }

  const writeList = listWriter(declared.item, declared.fields, PLAIN, start, end);
  return (result) => {
    const list = requireList(operation.name, result);
    if (list === null) return empty;
    return list.length === 0 ? emptyElement : { status: 200, headers, ...writeList(list) };
  };
}
