import { create } from 'xmlbuilder2';
import { literalText } from '../../xml';
import type { OperationContract, ResultContract } from '../../contract';
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
