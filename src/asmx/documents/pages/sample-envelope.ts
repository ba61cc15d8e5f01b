import { create } from 'xmlbuilder2';
import { literalText } from '../../xml';
import type { OperationContract } from '../../contract';
import type { SoapVersion } from '../../soap';
import { gap } from './message-template';
import { addList } from './sample-document';

type Element = ReturnType<typeof create>;

/** The sample envelope that calls an operation, with gaps. */
export function requestEnvelope(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
  layout: Layout,
): string {
  return envelope(version, layout, (body) => {
    const call = body.ele(operation.name, { xmlns: literalText(namespace) });
    for (const { name, type } of operation.parameters) call.ele(name).txt(gap(type, name));
  });
}

/** The sample envelope that answers, with gaps. */
export function responseEnvelope(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
): string {
  const { result } = operation;
  return envelope(version, 'indented', (body) => {
    const response = body.ele(operation.responseElement, { xmlns: literalText(namespace) });
    if (result.kind === 'string') response.ele(result.element).txt(gap('string'));
    if (result.kind === 'list') addList(response.ele(result.element), result);
  });
}

/** `indented` as ASP.NET's help page shows messages, `line` for a command line. */
export type Layout = 'indented' | 'line';

// ASP.NET's samples have a prefix for each version, unlike its messages.
function envelope(
  { binding, envelopeNamespace }: SoapVersion,
  layout: Layout,
  fill: (body: Element) => void,
): string {
  const prefix = binding === 'soap11' ? 'soap' : 'soap12';
  const root = create({ version: '1.0', encoding: 'utf-8' }).ele(`${prefix}:Envelope`, {
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    [`xmlns:${prefix}`]: envelopeNamespace,
  });
  fill(root.ele(`${prefix}:Body`));
  return root.end({ prettyPrint: layout === 'indented', spaceBeforeSlash: true });
}
