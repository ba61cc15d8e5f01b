import { create } from 'xmlbuilder2';
import type { OperationContract, ResultContract } from '../../contract';
import type { SoapVersion } from '../../soap';
import { literalText } from '../../xml';
import { gap } from './message-template';

type Element = ReturnType<typeof create>;
type ListContract = Extract<ResultContract, { kind: 'list' }>;

// As many as on ASP.NET's help page: enough to see that it repeats.
const SAMPLE_ITEMS = 2;

/** The sample answer of HTTP GET and POST, with gaps; undefined for an operation without a result. */
export function responseDocument({ result }: OperationContract, namespace: string): string | undefined {
  if (result.kind === 'none') return undefined;
  const root = create({ version: '1.0', encoding: 'utf-8' }).ele(result.root, {
    xmlns: literalText(namespace),
  });
  if (result.kind === 'string') root.txt(gap('string'));
  else addList(root, result);
  return root.end({ prettyPrint: true, spaceBeforeSlash: true });
}

/** Puts sample items into a list. */
export function addList(list: Element, { item, fields }: ListContract): void {
  for (let count = 0; count < SAMPLE_ITEMS; count += 1) {
    const element = list.ele(item);
    for (const field of fields) element.ele(field).txt(gap('string'));
  }
}

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
