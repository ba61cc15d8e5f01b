import type { BindingSample } from './binding-samples';
import type { EndpointAddress } from './endpoint-address';
import { gap, MessageTemplate } from './message-template';

/** A whole sample request, head and body, in the layout of ASP.NET's help page. */
export function requestMessage(
  { method, target, contentType, soapAction, body }: BindingSample,
  { authority, path }: EndpointAddress,
): MessageTemplate {
  const head = [`${method} ${path}${target} HTTP/1.1`, `Host: ${authority}`];
  if (contentType !== undefined) head.push(...bodyHeaders(contentType));
  if (soapAction !== undefined) head.push(`SOAPAction: ${soapAction}`);
  return new MessageTemplate([...head, '', body?.indented ?? ''].join('\n').trimEnd());
}

/** A whole sample answer, head and body, in the layout of ASP.NET's help page. */
export function responseMessage({ answer }: BindingSample): MessageTemplate {
  const head = ['HTTP/1.1 200 OK'];
  if (answer !== undefined) head.push(...bodyHeaders(answer.contentType), '', answer.body);
  return new MessageTemplate(head.join('\n'));
}

function bodyHeaders(contentType: string): readonly string[] {
  return [`Content-Type: ${contentType}`, `Content-Length: ${gap('length')}`];
}
