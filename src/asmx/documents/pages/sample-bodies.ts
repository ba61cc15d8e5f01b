import { create } from 'xmlbuilder2';
import type { ElementContract, OperationContract, ValueType } from '../../contract';
import type { SoapVersion } from '../../soap';
import { literalText } from '../../xml';
import { gap } from './message-template';

type Element = ReturnType<typeof create>;

// As many as on ASP.NET's help page: enough to see that it repeats.
export const SAMPLE_ITEMS = 2;
// So deep ASP.NET's help page shows what is in a record or a list; deeper it shows them as null.
const DEPTH = 4;
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

/** The sample answer of HTTP GET and POST, with gaps; undefined for an operation without a result. */
export function responseDocument({ result }: OperationContract, namespace: string): string | undefined {
  if (result === undefined) return undefined;
  const root = create({ version: '1.0', encoding: 'utf-8' }).ele(result.type.name, {
    xmlns: literalText(namespace),
  });
  addValue(root, result.type, 0);
  return root.end({ prettyPrint: true, spaceBeforeSlash: true });
}

/** Puts a sample of a value into its element. */
function addValue(element: Element, type: ValueType, depth: number, parameter = ''): void {
  if ((type.kind === 'record' || type.kind === 'list') && depth >= DEPTH) {
    element.att(INSTANCE, 'xsi:nil', 'true');
  } else if (type.kind === 'record') {
    for (const part of type.attributes) element.att(part.name, placeholderOf(part.type));
    for (const part of type.elements) addElement(element, part, depth + 1);
  } else if (type.kind === 'list') {
    for (let count = 0; count < SAMPLE_ITEMS; count += 1) addElement(element, type.item, depth + 1);
  } else {
    element.txt(gap(placeholderOf(type), parameter));
  }
}

function addElement(parent: Element, { name, type }: ElementContract, depth: number, parameter = ''): void {
  addValue(parent.ele(name), type, depth, parameter);
}

/** The word that stands for a value: its type's name, or the names that it may be. */
export function placeholderOf(type: ValueType): string {
  return type.kind === 'enumeration' ? type.values.join(' or ') : type.name;
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
    for (const parameter of operation.parameters) addElement(call, parameter, 1, parameter.name);
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
    if (result !== undefined) addElement(response, result, 1);
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
    'xmlns:xsi': INSTANCE,
    'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    [`xmlns:${prefix}`]: envelopeNamespace,
  });
  fill(root.ele(`${prefix}:Body`));
  return root.end({ prettyPrint: layout === 'indented', spaceBeforeSlash: true });
}
