import { type HttpResponse, responseHeaders, CACHE_RESULT } from '../http';
import { resultWriter } from '../results';
import type { OperationContract, OperationResult } from '../contract';
import { ENVELOPE_END, envelopeStart, type SoapVersion } from './soap-version';
import { escapeAttribute } from '../xml';

const LAYOUT = { indent: '', newline: '' };

/**
 * Prepares the writer of an operation's SOAP answers (wire contract, section 2.3): everything but the values
 * is put together once.
 *
 * @param dotNetNamespace of the types that are the service's own
 */
export function soapResultWriter(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
  dotNetNamespace: string | undefined,
): (result: OperationResult) => HttpResponse {
  const headers = responseHeaders(CACHE_RESULT, version.contentType);
  const open = `${envelopeStart(version)}<${operation.responseElement} xmlns="${escapeAttribute(namespace)}"`;
  const close = `</${operation.responseElement}>${ENVELOPE_END}`;
  const empty = `${open} />${ENVELOPE_END}`;
  const { result: declared } = operation;
  if (declared === undefined) return () => ({ status: 200, headers, body: empty });

  const { name, nillable } = declared;
  const write = resultWriter(
    operation.name,
    declared,
    {
      start: `${open}>`,
      end: close,
      name,
      declarations: { text: '', schemas: '' },
      layout: LAYOUT,
      none: nillable ? `${open}><${name} xsi:nil="true" />${close}` : empty,
    },
    dotNetNamespace,
  );
  return (result) => ({ status: 200, headers, ...write(result) });
}
